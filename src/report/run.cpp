#include <stretto/report/run.h>

#include <algorithm>

namespace stretto::report {

std::string_view name(Hazard hazard) {
  constexpr std::string_view names[] = {"raw", "war", "waw", "reuse"};
  return names[static_cast<std::size_t>(hazard)];
}

Nanoseconds Run::begin() const {
  Nanoseconds first = INT64_MAX;
  for (const Task& task : tasks) first = std::min({first, task.submitted, task.start});
  for (const Wait& wait : waits) first = std::min(first, wait.start);
  return first == INT64_MAX ? 0 : first;
}

Nanoseconds Run::end() const {
  Nanoseconds last = 0;
  for (const Task& task : tasks) last = std::max(last, task.end);
  for (const Wait& wait : waits) last = std::max(last, wait.end);
  return last;
}

std::string short_command(const Run& run) {
  const std::size_t end = run.command.find(' ');
  const std::size_t folder = run.command.rfind('/', end);
  return folder == std::string::npos ? run.command : run.command.substr(folder + 1);
}

}  // namespace stretto::report
