#include "cli/trace/summary_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <stretto/report/chain.h>
#include <stretto/report/critical_path.h>
#include <stretto/report/lanes.h>
#include <stretto/report/lines.h>
#include <stretto/report/overlap.h>
#include <stretto/report/waits.h>

#include "cli/terminal.h"

namespace stretto::cli {
namespace {

using namespace report;

constexpr std::size_t rows = 10;

double share(Nanoseconds part, Nanoseconds whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// A bar of `width` cells, filled to an eighth of a cell.
std::string bar(double fraction, int width) {
  constexpr std::string_view parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8);
  std::string filled;
  for (long cell = 0; cell < eighths / 8; ++cell) filled += "█";
  filled += parts[eighths % 8];
  const auto used = (eighths + 7) / 8;
  return coloured(filled, Colour::blue) + faint(std::string(static_cast<std::size_t>(width - used), ' ') + "│");
}

/// Cut to `width` characters, or filled up to it. Counts the starts of UTF-8 characters.
std::string fitted(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (starts && ++length == width && i + 1 < text.size()) return result + "…";
    // What moves the cursor in a terminal has no place in a table.
    result += static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7f ? '?' : text[i];
  }
  return result + std::string(width > length ? width - length : 0, ' ');
}

std::string heading(std::string_view text) { return fmt::format("\n{}\n", bold(text)); }

Colour colour_of(Cause cause) {
  switch (cause) {
    case Cause::dependency:
    case Cause::wait_all: return Colour::blue;
    case Cause::busy_lane: return Colour::green;
    default: return Colour::yellow;
  }
}

std::string head_text(const Run& run) {
  const std::string command = short_command(run);
  const std::size_t width = std::min<std::size_t>(command.size(), 90);
  std::string text = bold(command.empty() ? "A recorded run" : fitted(command, width)) + "\n";
  std::string facts = fmt::format("{} tasks on {} tracks", run.tasks.size(), track_use(run).size());
  if (!run.engine.empty()) facts += fmt::format(", {} engine of version {}", run.engine, run.version);
  text += faint(facts) + "\n";
  if (run.cut) text += coloured("the file ends before its end: what came later is missing", Colour::yellow) + "\n";
  if (run.dropped > 0) {
    text +=
        coloured(fmt::format("{} tasks are missing: the recorder had no room for them", run.dropped), Colour::yellow) +
        "\n";
  }
  const auto failed = std::ranges::count_if(run.tasks, [](const Task& task) { return !task.failed.empty(); });
  if (failed > 0) text += coloured(fmt::format("{} tasks failed or were skipped", failed), Colour::yellow) + "\n";
  return text;
}

std::string bound_text(const Run& run) {
  const Bound limits = bound(run);
  const bool is_lane = limits.work >= limits.chain;
  std::string text =
      fmt::format("\n  total  {}   bound  {}", bold(duration_text(limits.total)), duration_text(limits.bound()));
  text += is_lane ? fmt::format(" (the work of {})", limits.busiest) : " (the longest chain of dependencies)";
  return text + fmt::format("   ratio  {}\n", bold(fmt::format("{:.3f}", limits.ratio())));
}

std::string lanes_text(const Run& run) {
  std::string text = heading("Lanes");
  const Nanoseconds total = run.end() - run.begin();
  for (const TrackUse& use : track_use(run)) {
    text +=
        fmt::format("  {}  {} {:>5.1f} %  {:>9}  {:>6} tasks\n", fitted(run.tracks[use.track], 18),
                    bar(share(use.busy, total), 30), 100 * share(use.busy, total), duration_text(use.busy), use.tasks);
  }
  return text;
}

std::string overlap_text(const Run& run) {
  const Overlap both = overlap(run);
  if (both.copies == 0) return {};
  std::string text = heading("Computing and copying");
  const auto row = [&](const char* name, Nanoseconds part) {
    text += fmt::format("  {}  {} {:>5.1f} %  {:>9}\n", fitted(name, 18), bar(share(part, both.total), 30),
                        100 * share(part, both.total), duration_text(part));
  };
  row("computing", both.compute);
  row("copying", both.copies);
  row("both at once", both.both);
  text += fmt::format("  {:.0f} % of the smaller part is hidden behind the larger one; total / larger part is {}\n",
                      100 * both.hidden(), bold(fmt::format("{:.3f}", both.ratio())));
  return text;
}

std::string path_text(const Run& run) {
  const CriticalPath path = critical_path(run);
  std::string text =
      heading("Critical path") + faint("  what decided how long it took, from the first step to the last\n");
  const Nanoseconds total = run.end() - run.begin();
  const auto row = [&](std::string_view name, Nanoseconds part, Colour colour) {
    if (share(part, total) < 0.0005) return;
    text += fmt::format("  {}  {} {:>5.1f} %  {:>9}\n", coloured(fitted(name, 18), colour), bar(share(part, total), 30),
                        100 * share(part, total), duration_text(part));
  };
  row(fmt::format("{} tasks",
                  std::ranges::count_if(path.steps, [](const Step& step) { return step.task.has_value(); })),
      path.work, Colour::plain);
  row("the program", path.program, Colour::plain);
  for (int number = 0; number < cause_count; ++number) {
    const auto cause = static_cast<Cause>(number);
    row(fmt::format("gaps: {}", name(cause)), path.gaps[static_cast<std::size_t>(number)], colour_of(cause));
  }
  row("before and after", path.rest, Colour::plain);
  return text;
}

std::string waits_text(const Run& run) {
  const std::vector<WaitGroup> groups = largest_waits(run, rows);
  if (groups.empty()) return {};
  std::string text = heading("Largest waits") + faint("    longest   times  cause          who\n");
  for (const WaitGroup& group : groups) {
    text += fmt::format("  {:>9} {:>6}x  {}  {}  {}\n", duration_text(group.longest), group.count,
                        coloured(fitted(name(group.cause), 13), colour_of(group.cause)), fitted(group.name, 20),
                        group.line);
    text += "                      " + faint(group.advice) + "\n";
  }
  return text;
}

std::string times_text(const Run& run) {
  const std::vector<LineTime> lines = time_by_line(run);
  if (lines.empty()) return {};
  Nanoseconds all = 0;
  for (const LineTime& line : lines) all += line.busy;
  std::string text = heading("Time by line");
  for (std::size_t i = 0; i < std::min(rows, lines.size()); ++i) {
    const LineTime& line = lines[i];
    text += fmt::format("  {}  {} {:>5.1f} %  {:>9}  {:>6} tasks  {}", fitted(line.line.empty() ? "?" : line.line, 24),
                        bar(share(line.busy, all), 16), 100 * share(line.busy, all), duration_text(line.busy),
                        line.tasks, line.name);
    if (line.waited > 0) text += faint(fmt::format("  (the program waited {} there)", duration_text(line.waited)));
    text += "\n";
  }
  if (lines.size() > rows) text += faint(fmt::format("  and {} lines more\n", lines.size() - rows));
  return text;
}

}  // namespace

std::string duration_text(Nanoseconds duration) {
  if (duration < 1000) return fmt::format("{} ns", duration);
  const double value = static_cast<double>(duration);
  const double scale = duration < 1'000'000 ? 1e3 : duration < 1'000'000'000 ? 1e6 : 1e9;
  const char* unit = scale == 1e3 ? "us" : scale == 1e6 ? "ms" : "s";
  const double scaled = value / scale;
  return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, unit);
}

std::string summary_text(const Run& run) {
  if (run.tasks.empty()) return head_text(run) + "\nnothing ran\n";
  return head_text(run) + bound_text(run) + lanes_text(run) + overlap_text(run) + path_text(run) + waits_text(run) +
         times_text(run);
}

}  // namespace stretto::cli
