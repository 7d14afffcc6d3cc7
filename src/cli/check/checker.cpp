#include "cli/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/check/generator.h"
#include "cli/check/printer.h"
#include "cli/check/shrinker.h"

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
        statement == program.statements.end() ? "the last wait for everything" : to_text(*statement);
    const auto text = [&](const Outcome& outcome) {
      return line < outcome.lines.size() && !outcome.lines[line].empty() ? outcome.lines[line] : "nothing";
    };
    return fmt::format("statement {}, {}, gives {} and should give {}", line, where, text(seen), text(expected));
  }

  Player serial_;
  std::vector<Player> others_;
};

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
  Comparison comparison(options, ways_of(first_of(options.seed)));
  for (std::uint64_t seed = options.seed; report.programs == 0 || fraction() < 1; ++seed) {
    if (seed == first_of(seed)) comparison.replace(options, ways_of(seed));
    const Program program = generate_program(seed, options.devices);
    const auto difference = comparison.compare(program);
    ++report.programs;
    report.edges.add(program);
    progress(fraction(), report);
    if (difference) {
      report.disagreement = {program, comparison.way(difference->way), difference->words};
      break;
    }
  }
  return report;
}

Disagreement shrunk(const Disagreement& disagreement, const CheckOptions& options) {
  Disagreement smallest = disagreement;
  if (options.shrinking <= 0) return smallest;
  Comparison comparison(options, {disagreement.way});
  const auto differs = [&](const Program& program, bool in_new_process) {
    if (in_new_process) comparison.replace(options, {disagreement.way});
    const auto difference = comparison.compare(program);
    if (difference) {
      smallest.difference = difference->words;
      smallest.program.schedule = program.schedule;
    }
    return difference.has_value();
  };
  if (disagreement.way.is_deterministic()) {
    // A program made shorter makes other steps, so it is tried with some schedules; in a new process, as the one that
    // is printed will be.
    constexpr std::uint64_t schedules = 6;
    const std::uint64_t schedule = disagreement.program.schedule;
    Program shorter = shrink(disagreement.program, options.shrinking, [&](Program program) {
      for (program.schedule = schedule; program.schedule < schedule + schedules; ++program.schedule)
        if (differs(program, true)) return true;
      return false;
    });
    shorter.schedule = smallest.program.schedule;
    smallest.program = std::move(shorter);
    return smallest;
  }
  // What depends on the moment does not show every time, and some of it only in a process that has just begun.
  constexpr int trials = 20;
  int seen_there = 0, seen_anew = 0;
  for (int i = 0; i < trials; ++i) seen_there += differs(disagreement.program, false) ? 1 : 0;
  for (int i = 0; i < trials && seen_there < trials; ++i) seen_anew += differs(disagreement.program, true) ? 1 : 0;
  const bool in_new_process = seen_anew > seen_there;
  const int attempts = std::min(4 * trials / std::max({seen_there, seen_anew, 1}) + 1, 2 * trials);
  smallest.program = shrink(disagreement.program, options.shrinking, [&](const Program& program) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (differs(program, in_new_process)) return true;
    }
    return false;
  });
  return smallest;
}

}  // namespace stretto::cli
