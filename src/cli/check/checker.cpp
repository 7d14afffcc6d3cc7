#include "cli/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/check/generator.h"
#include "cli/check/printer.h"
#include "cli/check/shrinker.h"

namespace stretto::cli {
namespace {

/// Two ways to run, side by side.
class Pair {
 public:
  Pair(const CheckOptions& options, Way way)
      : serial_(serial_way(), options.devices), other_(std::move(way), options.devices, options.wrong) {}

  const Way& way() const { return other_.way(); }
  /// The other way begins anew.
  void replace(const CheckOptions& options, Way way) {
    other_ = Player(std::move(way), options.devices, options.wrong);
  }
  /// How they differ, or nothing.
  std::optional<std::string> compare(const Program& program) {
    serial_.begin(program);
    other_.begin(program);
    const Outcome expected = serial_.finish(), seen = other_.finish();
    if (expected.trouble.empty() && expected == seen) return std::nullopt;
    if (!expected.trouble.empty()) return fmt::format("one statement after the other, {}", expected.trouble);
    if (!seen.trouble.empty()) return seen.trouble;
    return describe(program, expected, seen);
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
  Player other_;
};

}  // namespace

CheckReport check_programs(const CheckOptions& options,
                           const std::function<void(double, const CheckReport&)>& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto fraction = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / options.seconds;
  };
  CheckReport report;
  const auto first_of = [](std::uint64_t seed) { return seed - seed % programs_per_process; };
  Pair pair(options, threads_way(first_of(options.seed)));
  for (std::uint64_t seed = options.seed; report.programs == 0 || fraction() < 1; ++seed) {
    if (seed == first_of(seed)) pair.replace(options, threads_way(seed));
    const Program program = generate_program(seed, options.devices);
    const auto difference = pair.compare(program);
    ++report.programs;
    report.edges.add(program);
    progress(fraction(), report);
    if (difference) {
      report.disagreement = {program, pair.way(), *difference};
      break;
    }
  }
  return report;
}

Disagreement shrunk(const Disagreement& disagreement, const CheckOptions& options, double seconds) {
  Disagreement smallest = disagreement;
  Pair pair(options, disagreement.way);
  const auto differs = [&](const Program& program, bool in_new_process) {
    if (in_new_process) pair.replace(options, disagreement.way);
    const auto difference = pair.compare(program);
    if (difference) smallest.difference = *difference;
    return difference.has_value();
  };
  // What depends on the moment does not show every time, and some of it only in a process that has just begun.
  constexpr int trials = 20;
  int seen_there = 0, seen_anew = 0;
  for (int i = 0; i < trials; ++i) seen_there += differs(disagreement.program, false) ? 1 : 0;
  for (int i = 0; i < trials && seen_there < trials; ++i) seen_anew += differs(disagreement.program, true) ? 1 : 0;
  const bool in_new_process = seen_anew > seen_there;
  const int attempts = std::min(4 * trials / std::max({seen_there, seen_anew, 1}) + 1, 2 * trials);
  smallest.program = shrink(disagreement.program, seconds, [&](const Program& program) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
      if (differs(program, in_new_process)) return true;
    }
    return false;
  });
  return smallest;
}

}  // namespace stretto::cli
