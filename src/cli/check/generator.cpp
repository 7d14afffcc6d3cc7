#include "cli/check/generator.h"

#include <string_view>

#include "cli/check/program_model.h"
#include "cli/check/random.h"
#include "cli/check/statement_row.h"

namespace stretto::cli {
namespace {

/// Types are drawn from this list: float32 is used most.
constexpr DType dtypes[] = {DType::float32, DType::float32, DType::float32,  DType::float32,
                            DType::float64, DType::float16, DType::bfloat16, DType::int32,
                            DType::int64,   DType::int64,   DType::uint8,    DType::bool_};

class Generator {
 public:
  Generator(std::uint64_t seed, std::span<const Device> devices)
      : random_(seed),
        devices_(devices),
        side_(draw_side()),
        program_(draw_program(seed)),
        model_(program_.variables, program_.threads) {}

  Program generate() {
    const std::int64_t length = random_.draw(20, 120);
    for (int i = 0; i < program_.variables / 2; ++i)
      add_random([](const StatementRow& row) { return row.accesses.empty() && row.is_task; });
    if (program_.threads > 1) add_join();
    for (std::int64_t i = 0; i < length; ++i) {
      if (program_.threads > 1 && random_.happens(0.06)) add_join();
      add_random([this](const StatementRow& row) { return failing_ ? !row.needs_success : !row.fails; });
    }
    read_everything();
    program_.numbers = next_number_;
    return program_;
  }

 private:
  std::int64_t draw_side() {
    constexpr std::int64_t sides[] = {3, 4, 4, 6, 8, 8, 8, 12, 16, 40, 100, 200};
    return random_.pick(std::span(sides));
  }
  Program draw_program(std::uint64_t seed) {
    Program program;
    program.seed = seed;
    program.schedule = seed + 1;  // 0 would be the plain order
    program.variables = static_cast<int>(random_.draw(4, 16));
    program.threads = random_.happens(0.3) ? static_cast<int>(random_.draw(2, 4)) : 1;
    failing_ = program.threads == 1 && random_.happens(0.25);
    return program;
  }

  /// A row by weight, tried with some tensors until it fits; then another. Something always fits: creation does.
  template <class Allowed>
  void add_random(Allowed allowed) {
    for (;;) {
      const int row = draw_row(allowed);
      for (int attempt = 0; attempt < 30; ++attempt) {
        const Statement statement = draw_statement(row);
        if (!model_.accept(statement)) continue;
        program_.statements.push_back(statement);
        ++next_number_;
        return;
      }
    }
  }
  template <class Allowed>
  int draw_row(Allowed allowed) {
    constexpr double unit = 1000;
    const auto rows = statement_rows();
    const auto weight = [&](const StatementRow& row) {
      return allowed(row) ? static_cast<std::int64_t>(row.weight * unit) : 0;
    };
    std::int64_t total = 0;
    for (const StatementRow& row : rows) total += weight(row);
    std::int64_t place = random_.draw(0, total - 1);
    int index = 0;
    while ((place -= weight(rows[static_cast<std::size_t>(index)])) >= 0) ++index;
    return index;
  }

  Statement draw_statement(int index) {
    const StatementRow& row = statement_rows()[static_cast<std::size_t>(index)];
    Statement statement;
    statement.row = index;
    statement.number = next_number_;
    statement.thread = static_cast<int>(random_.draw(0, program_.threads - 1));
    if (row.has_result) statement.result = draw_variable();
    for (std::size_t i = 0; i < row.accesses.size(); ++i) statement.x[i] = draw_tensor(statement.thread);
    statement.device = random_.pick(devices_);
    statement.dtype = random_.pick(std::span(dtypes));
    Places places = model_.places_of(statement);
    row.draw(random_, {devices_, side_}, places);
    statement.n = places.n;
    return statement;
  }
  int draw_variable() { return static_cast<int>(random_.draw(0, program_.variables - 1)); }
  /// One that the thread may read, if that is found soon.
  int draw_tensor(int thread) {
    int variable = draw_variable();
    for (int attempt = 0; attempt < 8 && !model_.may_read(thread, variable); ++attempt) variable = draw_variable();
    return variable;
  }

  void add_join() {
    Statement statement;
    statement.row = join_row();
    statement.number = next_number_++;
    statement.n[0] = random_.draw(0, 99999);
    model_.accept(statement);
    program_.statements.push_back(statement);
  }
  void read_everything() {
    // Dealt out anew until the main thread may read it.
    for (int variable = 0; variable < program_.variables; ++variable) {
      if (!model_.variable(variable).defined()) continue;
      Statement statement;
      statement.row = see_row();
      statement.x[0] = variable;
      for (;;) {
        statement.number = next_number_;
        if (model_.accept(statement)) break;
        add_join();
      }
      ++next_number_;
      program_.statements.push_back(statement);
    }
  }

  Random random_;
  std::span<const Device> devices_;
  std::int64_t side_;
  bool failing_ = false;
  Program program_;
  ProgramModel model_;
  int next_number_ = 0;
};

}  // namespace

Program generate_program(std::uint64_t seed, std::span<const Device> devices) {
  return Generator(seed, devices).generate();
}

}  // namespace stretto::cli
