#include "cli/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/check/generator.h"
#include "cli/check/printer.h"
#include "cli/check/shrinker.h"
#include "cli/check/statement_row.h"

namespace stretto::cli {
namespace {

/// How a program differs, and in which way.
struct Difference {
  std::size_t way;
  std::string words;
};

/// One statement after the other, and other ways beside it.
class Comparison {
 public:
  Comparison(const CheckOptions& options, std::vector<Way> ways) : serial_(serial_way(), options.devices) {
    replace(options, std::move(ways));
  }

  const Way& way(std::size_t index) const { return others_[index].way(); }
  /// The other ways begin anew.
  void replace(const CheckOptions& options, std::vector<Way> ways) {
    others_.clear();
    for (Way& way : ways) others_.emplace_back(std::move(way), options.devices, options.wrong);
  }
  /// Of all that was compared.
  const EdgeTally& edges() const { return edges_; }
  /// The first way that differs, or nothing.
  std::optional<Difference> compare(const Program& program) {
    serial_.begin(program);
    for (Player& other : others_) other.begin(program);
    const Outcome expected = serial_.finish();
    std::optional<Difference> first;
    for (std::size_t way = 0; way < others_.size(); ++way) {
      if (first) {
        // It may hang, and one difference is enough.
        others_[way].abandon();
        continue;
      }
      const Outcome seen = others_[way].finish();
      add(edges_, seen.edges);
      if (expected.trouble.empty() && expected == seen) continue;
      if (!expected.trouble.empty()) {
        first = {way, fmt::format("one statement after the other, {}", expected.trouble)};
      } else {
        first = {way, !seen.trouble.empty() ? seen.trouble : describe(program, expected, seen)};
      }
    }
    return first;
  }

 private:
  static std::string describe(const Program& program, const Outcome& expected, const Outcome& seen) {
    const std::size_t count = std::min(expected.lines.size(), seen.lines.size());
    std::size_t line = 0;
    while (line < count && expected.lines[line] == seen.lines[line]) ++line;
    const auto statement = std::ranges::find(program.statements, static_cast<int>(line), &Statement::number);
    const std::string where =
        statement == program.statements.end() ? "the last wait for everything" : to_text(program, *statement);
    const auto text = [&](const Outcome& outcome) {
      return line < outcome.lines.size() && !outcome.lines[line].empty() ? outcome.lines[line] : "nothing";
    };
    return fmt::format("statement {}, {}, gives {} and should give {}", line, where, text(seen), text(expected));
  }

  Player serial_;
  std::vector<Player> others_;
  EdgeTally edges_;
};

std::uint64_t tasks_in(const Program& program) {
  return static_cast<std::uint64_t>(std::ranges::count_if(program.statements, [](const Statement& statement) {
    return statement_rows()[static_cast<std::size_t>(statement.row)].is_task;
  }));
}

std::vector<Way> ways_of(std::uint64_t seed) { return {deterministic_way(seed), threads_way(seed)}; }

}  // namespace

CheckReport check_programs(const CheckOptions& options,
                           const std::function<void(double, const CheckReport&)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto fraction = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / options.seconds;
  };
  CheckReport report;
  const auto first_of = [](std::uint64_t seed) { return seed - seed % programs_per_process; };
  const auto ways = [&](std::uint64_t seed) { return options.soaks ? std::vector{Way{"threads", {}}} : ways_of(seed); };
  Comparison comparison(options, ways(first_of(options.seed)));
  for (std::uint64_t seed = options.seed; report.programs == 0 || fraction() < 1; ++seed) {
    if (seed == first_of(seed) && !options.soaks) comparison.replace(options, ways(seed));
    const Program program = generate_program(seed, options.devices);
    const auto difference = comparison.compare(program);
    ++report.programs;
    report.tasks += tasks_in(program);
    report.edges = comparison.edges();
    progress(fraction(), report);
    if (difference) {
      report.disagreement = {program, comparison.way(difference->way), difference->words};
      break;
    }
  }
  return report;
}

namespace {

/// Makes one disagreement smaller.
class Shrinking {
 public:
  Shrinking(const Disagreement& disagreement, const CheckOptions& options)
      : options_(options), smallest_(disagreement), comparison_(options, {disagreement.way}) {}

  Disagreement shrink_deterministic() {
    // A program made shorter makes other steps, so it is tried with some schedules.
    constexpr std::uint64_t schedules = 6;
    const std::uint64_t schedule = smallest_.program.schedule;
    Program shorter = shrink(smallest_.program, options_.shrinking, [&](Program program) {
      for (program.schedule = schedule; program.schedule < schedule + schedules; ++program.schedule)
        if (differs(program, true)) return true;
      return false;
    });
    shorter.schedule = smallest_.program.schedule;
    smallest_.program = std::move(shorter);
    return run_again(3);
  }

  Disagreement shrink_by_trials() {
    // What depends on the moment does not show every time, and some of it only in a process that has just begun.
    constexpr int trials = 20;
    const Program found = smallest_.program;
    int seen_there = 0, seen_anew = 0;
    for (int i = 0; i < trials; ++i) seen_there += differs(found, false) ? 1 : 0;
    for (int i = 0; i < trials && seen_there < trials; ++i) seen_anew += differs(found, true) ? 1 : 0;
    const bool in_new_process = seen_anew > seen_there;
    const int attempts = std::min(4 * trials / std::max({seen_there, seen_anew, 1}) + 1, 2 * trials);
    smallest_.program = shrink(found, options_.shrinking, [&](const Program& program) {
      for (int attempt = 0; attempt < attempts; ++attempt) {
        if (differs(program, in_new_process)) return true;
      }
      return false;
    });
    return run_again(trials);
  }

 private:
  bool differs(const Program& program, bool in_new_process) {
    if (in_new_process) comparison_.replace(options_, {smallest_.way});
    const auto difference = comparison_.compare(program);
    if (difference) {
      smallest_.difference = difference->words;
      smallest_.program.schedule = program.schedule;
    }
    return difference.has_value();
  }
  Disagreement run_again(int runs) {
    const Program program = smallest_.program;
    for (smallest_.runs = 0; smallest_.runs < runs; ++smallest_.runs)
      smallest_.differing_runs += differs(program, true) ? 1 : 0;
    return smallest_;
  }

  const CheckOptions& options_;
  Disagreement smallest_;
  Comparison comparison_;
};

}  // namespace

Disagreement shrunk(const Disagreement& disagreement, const CheckOptions& options) {
  if (options.shrinking <= 0) return disagreement;
  Shrinking shrinking(disagreement, options);
  return disagreement.way.is_deterministic() ? shrinking.shrink_deterministic() : shrinking.shrink_by_trials();
}

}  // namespace stretto::cli
