#include "cli/check/runner.h"

#include <algorithm>
#include <array>
#include <span>

#include <stretto/base/error.h>
#include <stretto/base/schedule.h>
#include <stretto/ops/creation.h>
#include <stretto/tensor/devices.h>

#include "cli/check/statement_row.h"

namespace stretto::cli {
namespace {

class Runner {
 public:
  Runner(const Program& program, const std::string& wrong)
      : program_(program),
        wrong_(wrong),
        tensors_(static_cast<std::size_t>(program.variables)),
        book_(program.numbers + 1) {
    for (int i = 0; i < program.functions; ++i)
      functions_.emplace_back([this, i](const Tensor& a, const Tensor& b) { return run_function(i, a, b); });
  }

  std::vector<std::string> run() {
    reseed_schedule(program_.schedule);
    for (const Section& section : sections_of(program_)) run_section(section);
    tensors_.clear();
    for (check::Function& function : functions_) function.drop();
    book_.wait_all(program_.numbers);
    book_.finish();
    return book_.lines();
  }

 private:
  void run_section(const Section& section) {
    std::vector<ScheduledThread> threads;
    for (int thread = 1; thread < program_.threads; ++thread) {
      // A thread without a statement is not printed, so it is not started here: that would be another schedule.
      const auto is_of_thread = [thread](const Statement& statement) { return statement.thread == thread; };
      if (std::ranges::none_of(statements_of(section), is_of_thread)) continue;
      try {
        threads.emplace_back([this, section, thread] { run_thread(section, thread); });
      } catch (...) {
        for (ScheduledThread& started : threads) started.join();
        throw;
      }
    }
    run_thread(section, 0);
    for (ScheduledThread& thread : threads) thread.join();
  }
  std::span<const Statement> statements_of(const Section& section) const {
    return std::span(program_.statements).subspan(section.begin, section.end - section.begin);
  }
  void run_thread(const Section& section, int thread) {
    for (const Statement& statement : statements_of(section)) {
      if (statement.thread == thread && statement.function < 0) run_statement(statement);
    }
  }
  void run_statement(const Statement& statement) {
    try {
      if (statement.row == call_row()) {
        const check::Function& function = functions_[static_cast<std::size_t>(statement.n[0])];
        variable(statement.result, {}) = function(variable(statement.x[0], {}), variable(statement.x[1], {}));
      } else {
        run_row(statement, {});
      }
    } catch (const Error& error) {
      book_.put(statement.number, std::string("threw ") + error.what());
    }
  }
  Tensor run_function(int function, const Tensor& a, const Tensor& b) {
    std::array<Tensor, local_count> locals{a, b};
    for (const Statement& statement : program_.statements) {
      if (statement.function != function) continue;
      if (statement.row == return_row()) return variable(statement.x[0], locals);
      run_row(statement, locals);
    }
    return {};
  }
  Tensor& variable(int number, std::span<Tensor> locals) {
    return number < program_.variables ? tensors_[static_cast<std::size_t>(number)]
                                       : locals[static_cast<std::size_t>(number - program_.variables)];
  }
  void run_row(const Statement& statement, std::span<Tensor> locals) {
    const StatementRow& row = statement_rows()[static_cast<std::size_t>(statement.row)];
    Tensor none[3];
    const auto tensor = [&](std::size_t i) -> Tensor& {
      return statement.x[i] < 0 ? none[i] : variable(statement.x[i], locals);
    };
    const auto& n = statement.n;
    Call call{tensor(0),       tensor(1), tensor(2),       n[0], n[1], n[2], n[3], statement.device,
              statement.dtype, book_,     statement.number};
    Tensor result = row.run(call);
    if (row.text == wrong_ && result.defined()) result = zeros_like(result);
    if (row.has_result) variable(statement.result, locals) = std::move(result);
  }

  const Program& program_;
  const std::string& wrong_;
  std::vector<Tensor> tensors_;
  std::vector<check::Function> functions_;
  check::Log book_;
};

}  // namespace

std::vector<std::string> run_program(const Program& program, const std::string& wrong) {
  return Runner(program, wrong).run();
}

}  // namespace stretto::cli
