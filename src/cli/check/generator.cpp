#include "cli/check/generator.h"

#include <array>
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

/// What is kept of a function for its later calls.
struct DrawnFunction {
  Device device;
  std::array<Variable, argument_count> arguments;  ///< Of its first call.
};

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
      if (program_.functions < most_functions_ && random_.happens(0.1)) add_function();
      if (program_.functions > 0 && random_.happens(0.3)) add_call();
      if (repeats_ > 0 && random_.happens(0.1)) add_repeats();
      add_random([this](const StatementRow& row) { return is_allowed(row); });
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
    most_functions_ = random_.happens(0.6) ? static_cast<int>(random_.draw(1, 3)) : 0;
    failing_ = program.threads == 1 && random_.happens(0.25);
    repeats_ = random_.happens(0.5) ? static_cast<int>(random_.draw(1, 2)) : 0;
    return program;
  }

  bool is_allowed(const StatementRow& row) const { return failing_ ? !row.needs_success : !row.fails; }

  /// A row by weight, tried with some tensors until it fits; then another. Something always fits: creation does.
  template <class Allowed>
  void add_random(Allowed allowed) {
    for (;;) {
      const int row = draw_row(allowed);
      for (int attempt = 0; attempt < 30; ++attempt) {
        const Statement statement = draw_statement(row, draw_thread(), model_);
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

  /// `model`: the program's, or one inside of a call.
  Statement draw_statement(int index, int thread, const ProgramModel& model) {
    const StatementRow& row = statement_rows()[static_cast<std::size_t>(index)];
    Statement statement;
    statement.row = index;
    statement.number = next_number_;
    statement.thread = thread;
    if (row.has_result) statement.result = draw_variable(model, true);
    for (std::size_t i = 0; i < row.accesses.size(); ++i) statement.x[i] = draw_tensor(thread, model);
    statement.device = random_.pick(devices_);
    statement.dtype = random_.pick(std::span(dtypes));
    Places places = model.places_of(statement);
    row.draw(random_, {devices_, side_}, places);
    statement.n = places.n;
    return statement;
  }
  int draw_thread() { return static_cast<int>(random_.draw(0, program_.threads - 1)); }
  /// The body of a loop, several times: mostly the same, and now and then with one thing changed.
  void add_repeats() {
    --repeats_;
    std::vector<Statement> body;
    const int thread = draw_thread();
    // What operators repeat on lanes in order is launched as it was recorded.
    const bool only_operators = random_.happens(0.5);
    const Device device = only_operators ? draw_device_in_order() : random_.pick(devices_);
    const auto is_there = [&](const Statement& statement) {
      for (std::size_t i = 0; i < statement_rows()[static_cast<std::size_t>(statement.row)].accesses.size(); ++i) {
        const Variable& x = model_.variable(statement.x[i]);
        if (x.defined() && x.device != device) return false;
      }
      return true;
    };
    for (std::int64_t left = random_.draw(16, only_operators ? 24 : 40); left > 0; --left) {
      const bool chains = only_operators && random_.happens(0.5);
      const int row = draw_row([&](const StatementRow& one) {
        return one.replays && !one.waits && !(only_operators && one.has_body) && (one.chains || !chains) &&
               is_allowed(one);
      });
      for (int attempt = 0; attempt < 20; ++attempt) {
        Statement statement = draw_statement(row, thread, model_);
        statement.device = device;
        if (!is_there(statement) || !add_again(statement)) continue;
        body.push_back(statement);
        break;
      }
    }
    const bool changes = random_.happens(only_operators ? 0.2 : 0.7);
    for (std::int64_t left = only_operators ? random_.draw(6, 16) : random_.draw(3, 12); left > 0; --left) {
      if (only_operators && random_.happens(0.25)) {
        for (const Statement& statement : body) add_with_other_numbers(statement);
        continue;
      }
      const auto changed = changes && random_.happens(0.5)
                               ? static_cast<std::size_t>(random_.draw(0, static_cast<std::int64_t>(body.size())))
                               : body.size();
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (i != changed) {
          add_again(body[i]);
        } else {
          add_changed(body[i]);
        }
      }
    }
  }
  /// Mostly: another one where there is none.
  Device draw_device_in_order() {
    Device device = random_.pick(devices_);
    for (int attempt = 0; attempt < 3 && device.kind() == DeviceKind::cpu; ++attempt) device = random_.pick(devices_);
    return device;
  }
  bool add_again(Statement statement) {
    statement.number = next_number_;
    if (!model_.accept(statement)) return false;
    program_.statements.push_back(statement);
    ++next_number_;
    return true;
  }
  /// The same with other numbers, where it has any that do not make it another one.
  void add_with_other_numbers(const Statement& statement) {
    Statement changed = statement;
    const StatementRow& row = statement_rows()[static_cast<std::size_t>(statement.row)];
    if (row.chains) redraw_numbers(changed);
    if (!add_again(changed)) add_again(statement);
  }
  void redraw_numbers(Statement& statement) {
    Places places = model_.places_of(statement);
    statement_rows()[static_cast<std::size_t>(statement.row)].draw(random_, {devices_, side_}, places);
    statement.n = places.n;
  }
  /// With another number, another tensor, or something else in its place or in front of it.
  void add_changed(Statement statement) {
    switch (random_.draw(0, 3)) {
      case 0: redraw_numbers(statement); break;
      case 1: statement.x[0] = statement.x[0] < 0 ? -1 : draw_tensor(statement.thread, model_); break;
      case 2: add_random([this](const StatementRow& row) { return is_allowed(row); }); return;
      case 3: add_random([this](const StatementRow& row) { return is_allowed(row); }); break;
    }
    add_again(statement);
  }
  /// A function mostly uses its own, and assigns no others. Of these it uses few: they cannot be assigned any more.
  int draw_variable(const ProgramModel& model, bool for_result) {
    const int count = model.variable_count();
    if (count == program_.variables) return static_cast<int>(random_.draw(0, count - 1));
    if (for_result || random_.happens(0.75)) return static_cast<int>(random_.draw(program_.variables, count - 1));
    return random_.pick(captured_);
  }
  /// One that the thread may read, if that is found soon.
  int draw_tensor(int thread, const ProgramModel& model) {
    int variable = draw_variable(model, false);
    for (int attempt = 0; attempt < 8 && !model.may_read(thread, variable); ++attempt)
      variable = draw_variable(model, false);
    return variable;
  }

  /// A call of the function, of which only the tensors are drawn; whether it fits is another question. Some are like
  /// those of its first call, if these are found soon: it is replayed with them.
  Statement draw_call(int function, const DrawnFunction& drawn) {
    Statement call;
    call.row = call_row();
    call.number = next_number_;
    call.thread = draw_thread();
    call.result = draw_fitting([&](int x) { return model_.may_assign(call.thread, x); });
    for (std::size_t i = 0; i < argument_count; ++i) {
      const Variable& first = drawn.arguments[i];
      const bool alike = first.defined() && random_.happens(0.7);
      const auto fits = [&](int x) {
        const Variable& candidate = model_.variable(x);
        return model_.may_read(call.thread, x) && candidate.device == drawn.device &&
               (!alike || (candidate.shape() == first.shape() && candidate.dtype == first.dtype));
      };
      call.x[i] = draw_fitting(fits);
    }
    call.n[0] = function;
    call.device = drawn.device;
    return call;
  }
  template <class Fits>
  int draw_fitting(Fits fits) {
    int variable = draw_variable(model_, false);
    for (int attempt = 0; attempt < 40 && !fits(variable); ++attempt) variable = draw_variable(model_, false);
    return variable;
  }
  void add_call() {
    const auto function = static_cast<std::size_t>(random_.draw(0, program_.functions - 1));
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Statement call = draw_call(static_cast<int>(function), functions_[function]);
      if (!model_.accept(call)) continue;
      program_.statements.push_back(call);
      ++next_number_;
      return;
    }
  }
  /// A function that fits its first call, which comes behind it.
  void add_function() {
    DrawnFunction function{.device = random_.pick(devices_), .arguments = {}};
    ProgramModel trial = model_;
    Statement call = draw_call(program_.functions, function);
    for (std::size_t i = 0; i < argument_count; ++i) {
      function.arguments[i] = model_.variable(call.x[i]);
      if (!model_.may_read(call.thread, call.x[i]) || function.arguments[i].device != function.device) return;
    }
    const int first_number = next_number_;
    std::vector<Statement> statements = draw_function(call);
    call.number = next_number_++;
    for (const Statement& statement : statements) trial.accept(statement);
    if (!trial.accept(call)) {
      next_number_ = first_number;
      return;
    }
    statements.push_back(call);
    program_.statements.insert(program_.statements.end(), statements.begin(), statements.end());
    model_ = std::move(trial);
    functions_.push_back(function);
    ++program_.functions;
    for (std::int64_t left = random_.draw(0, 3); left > 0; --left) add_call();
  }
  std::vector<Statement> draw_function(const Statement& call) {
    std::vector<Statement> statements;
    const auto fits = [&](int x) {
      return model_.may_read(call.thread, x) && model_.variable(x).device == call.device;
    };
    captured_ = {draw_fitting(fits), draw_fitting(fits)};
    ProgramModel inside = model_.inside(call);
    const auto add = [&](Statement statement) {
      statement.device = call.device;
      if (!inside.accept(statement)) return false;
      statement.function = static_cast<int>(call.n[0]);
      statements.push_back(statement);
      ++next_number_;
      return true;
    };
    const auto add_row = [&](bool chains, int from) {
      const int row =
          draw_row([&](const StatementRow& one) { return one.replays && is_allowed(one) && (one.chains || !chains); });
      for (int attempt = 0; attempt < 5; ++attempt) {
        Statement statement = draw_statement(row, call.thread, inside);
        // What another has just made, once or twice.
        for (int& x : statement.x)
          if (from >= 0 && x >= 0 && (&x == statement.x.data() || random_.happens(0.25))) x = from;
        if (add(statement)) return statement.result >= 0 ? statement.result : from;
      }
      return from;
    };
    for (std::int64_t left = random_.draw(5, 40); left > 0; --left) {
      int made = add_row(false, -1);
      if (made < 0 || !random_.happens(0.3)) continue;
      for (std::int64_t steps = random_.draw(2, 8); steps > 0; --steps) made = add_row(true, made);
    }
    Statement last;
    last.row = return_row();
    last.thread = call.thread;
    last.number = next_number_;
    last.x[0] = static_cast<int>(random_.draw(program_.variables, program_.variables + local_count - 1));
    add(last);
    return statements;
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
  int most_functions_ = 0;
  int repeats_ = 0;  ///< How many loops are still to come.
  Program program_;
  ProgramModel model_;
  std::vector<DrawnFunction> functions_;
  std::array<int, 2> captured_{};  ///< By the function that is being drawn.
  int next_number_ = 0;
};

}  // namespace

Program generate_program(std::uint64_t seed, std::span<const Device> devices) {
  return Generator(seed, devices).generate();
}

}  // namespace stretto::cli
