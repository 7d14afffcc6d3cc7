#include "backends/cpu/control_group.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace stretto {
namespace {

/// From this on, version 1 means "no limit": it writes the largest multiple of a page.
constexpr std::size_t unlimited_bytes = std::size_t{1} << 62;

/// A hierarchy of control groups, as /proc/self/mountinfo lists it.
struct Hierarchy {
  std::string top;        ///< The group that is mounted.
  std::string directory;  ///< Where.
  bool unified = false;   ///< Version 2.
  std::string controllers;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

bool names(const std::string& list, std::string_view name) {
  const std::vector<std::string> parts = split(list, ',');
  return std::ranges::find(parts, name) != parts.end();
}

std::vector<Hierarchy> read_hierarchies(const std::string& root) {
  std::vector<Hierarchy> hierarchies;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    // 36 35 98:0 /top /mount/point options [optional fields] - type source super-options
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const bool unified = dash[1] == "cgroup2";
    if (unified || dash[1] == "cgroup") hierarchies.push_back({words[3], words[4], unified, dash[3]});
  }
  return hierarchies;
}

/// The path of this process's group in a hierarchy, from /proc/self/cgroup: lines of `number:controllers:path`.
std::string group_path(const std::string& root, const Hierarchy& hierarchy, std::string_view controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (hierarchy.unified ? controllers.empty() : names(controllers, controller)) return line.substr(second + 1);
  }
  return "/";
}

/// The directories of the process's group and all above it, as far as they are mounted.
std::vector<std::string> group_directories(const std::string& root, const Hierarchy& hierarchy,
                                           std::string_view controller) {
  std::string path = group_path(root, hierarchy, controller);
  if (hierarchy.top != "/") {
    // A container sees its own group as the top of what is mounted.
    const bool below_top =
        path.starts_with(hierarchy.top) && (path.size() == hierarchy.top.size() || path[hierarchy.top.size()] == '/');
    path = below_top ? path.substr(hierarchy.top.size()) : "";
  }
  std::vector<std::string> directories;
  for (; !path.empty() && path != "/"; path.resize(path.rfind('/'))) {
    directories.push_back(root + hierarchy.directory + path);
    if (path.rfind('/') == std::string::npos) break;
  }
  directories.push_back(root + hierarchy.directory);
  return directories;
}

template <typename Number>
void tighten(std::optional<Number>& limit, Number value) {
  limit = limit ? std::min(*limit, value) : value;
}

void read_memory(ControlGroupLimits& limits, const std::string& directory, bool unified) {
  std::ifstream file(directory + (unified ? "/memory.max" : "/memory.limit_in_bytes"));
  // "max" is no number.
  if (std::size_t bytes = 0; file >> bytes && bytes < unlimited_bytes) tighten(limits.memory_bytes, bytes);
}

void read_processors(ControlGroupLimits& limits, const std::string& directory, bool unified) {
  double quota = 0;
  double period = 0;
  if (unified) {
    std::ifstream file(directory + "/cpu.max");
    file >> quota >> period;
  } else {
    std::ifstream(directory + "/cpu.cfs_quota_us") >> quota;
    std::ifstream(directory + "/cpu.cfs_period_us") >> period;
  }
  if (quota > 0 && period > 0) tighten(limits.processors, quota / period);
}

}  // namespace

ControlGroupLimits control_group_limits(const std::string& root) {
  ControlGroupLimits limits;
  for (const Hierarchy& hierarchy : read_hierarchies(root)) {
    if (hierarchy.unified || names(hierarchy.controllers, "memory"))
      for (const std::string& directory : group_directories(root, hierarchy, "memory"))
        read_memory(limits, directory, hierarchy.unified);
    if (hierarchy.unified || names(hierarchy.controllers, "cpu"))
      for (const std::string& directory : group_directories(root, hierarchy, "cpu"))
        read_processors(limits, directory, hierarchy.unified);
  }
  return limits;
}

}  // namespace stretto
