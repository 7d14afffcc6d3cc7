#include "backends/cpu/topology.h"

#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "backends/cpu/control_group.h"

namespace stretto {
namespace {

using Core = CoreMap::Core;

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

/// Null when the machine cannot be read.
Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

/// A set of processor numbers of the length that the system asks for: a fixed cpu_set_t ends at 1024.
class AffinityMask {
 public:
  explicit AffinityMask(int processors) : words_((static_cast<std::size_t>(processors) + bits - 1) / bits) {}

  void set(int processor) { words_[static_cast<std::size_t>(processor) / bits] |= 1UL << (processor % bits); }
  bool contains(int processor) const {
    return (words_[static_cast<std::size_t>(processor) / bits] >> (processor % bits)) & 1;
  }
  int size() const { return static_cast<int>(words_.size() * bits); }
  std::size_t bytes() const { return words_.size() * sizeof(unsigned long); }
  cpu_set_t* data() { return reinterpret_cast<cpu_set_t*>(words_.data()); }

 private:
  static constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> words_;
};

std::vector<int> allowed_processors() {
  constexpr int most_processors = 1 << 20;
  for (int count = 1024; count <= most_processors; count *= 2) {
    AffinityMask mask(count);
    // Of the main thread: the caller may be a worker that has been bound.
    if (sched_getaffinity(getpid(), mask.bytes(), mask.data()) != 0) continue;
    std::vector<int> processors;
    for (int processor = 0; processor < mask.size(); ++processor)
      if (mask.contains(processor)) processors.push_back(processor);
    return processors;
  }
  return {0};
}

/// One node of one-thread cores: what is assumed of a machine that cannot be read.
CoreMap flat_map(const std::vector<int>& processors) {
  CoreMap map;
  map.nodes.resize(1);
  for (const int processor : processors) map.nodes[0].push_back({processor});
  return map;
}

CoreMap read_map(hwloc_topology_t topology, const std::vector<int>& allowed) {
  const int node_count = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE));
  std::vector<std::vector<Core>> nodes(static_cast<std::size_t>(node_count));
  const auto node_of = [&](int processor) {
    for (int node = 0; node < node_count; ++node) {
      const hwloc_obj_t object = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(node));
      if (object != nullptr && hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(processor))) return node;
    }
    return 0;
  };
  const bool knows_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0;
  const hwloc_obj_type_t type = knows_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    Core core;
    for (const int processor : allowed)
      if (hwloc_bitmap_isset(object->cpuset, static_cast<unsigned>(processor))) core.push_back(processor);
    if (!core.empty()) nodes[static_cast<std::size_t>(node_of(core.front()))].push_back(core);
  }
  std::erase_if(nodes, [](const auto& node) { return node.empty(); });
  CoreMap map;
  map.nodes = std::move(nodes);
  return map;
}

/// How many devices each node gets: one at least, and every further one goes where a device has the most cores.
std::vector<int> devices_of_nodes(int devices, const CoreMap& map) {
  std::vector<int> counts(map.nodes.size(), 1);
  for (int placed = static_cast<int>(counts.size()); placed < devices; ++placed) {
    std::size_t best = 0;
    for (std::size_t node = 1; node < counts.size(); ++node)
      if (map.nodes[node].size() * (counts[best] + 1U) > map.nodes[best].size() * (counts[node] + 1U)) best = node;
    ++counts[best];
  }
  return counts;
}

/// Cuts a list into parts of nearly equal length, in order.
template <typename Item>
std::vector<std::span<const Item>> cut(const std::vector<Item>& items, int parts) {
  std::vector<std::span<const Item>> result;
  const auto count = static_cast<std::size_t>(parts);
  for (std::size_t part = 0; part < count; ++part) {
    const std::size_t begin = items.size() * part / count;
    const std::size_t end = items.size() * (part + 1) / count;
    result.push_back(std::span<const Item>(items).subspan(begin, end - begin));
  }
  return result;
}

CoreSet core_set(std::span<const Core> cores) {
  CoreSet set;
  set.core_count = static_cast<int>(cores.size());
  for (const Core& core : cores) set.processors.insert(set.processors.end(), core.begin(), core.end());
  std::ranges::sort(set.processors);
  return set;
}

/// Fewer threads where the control group gives less time than there are cores. The processors stay: which of them have
/// time left changes from moment to moment.
void limit_core_counts(std::vector<CoreSet>& sets, double processor_time) {
  int total = 0;
  for (const CoreSet& set : sets) total += set.core_count;
  if (processor_time <= 0 || processor_time >= total) return;
  for (CoreSet& set : sets)
    set.core_count = std::max(1, static_cast<int>(std::lround(set.core_count * processor_time / total)));
}

}  // namespace

CoreMap usable_cores() {
  const std::vector<int> allowed = allowed_processors();
  CoreMap map;
  if (const Topology topology = load_topology()) map = read_map(topology.get(), allowed);
  if (map.nodes.empty()) map = flat_map(allowed);
  map.processor_time = control_group_limits().processors.value_or(0);
  return map;
}

std::vector<CoreSet> split_cores(int devices, const CoreMap& map) {
  std::vector<Core> cores;
  for (const auto& node : map.nodes) cores.insert(cores.end(), node.begin(), node.end());
  std::vector<CoreSet> sets;
  if (devices > static_cast<int>(cores.size())) {
    for (int device = 0; device < devices; ++device)
      sets.push_back(core_set(std::span(cores).subspan(static_cast<std::size_t>(device) % cores.size(), 1)));
  } else if (devices < static_cast<int>(map.nodes.size())) {
    for (const auto nodes : cut(map.nodes, devices)) {
      std::vector<Core> together;
      for (const auto& node : nodes) together.insert(together.end(), node.begin(), node.end());
      sets.push_back(core_set(together));
    }
  } else {
    const std::vector<int> counts = devices_of_nodes(devices, map);
    for (std::size_t node = 0; node < counts.size(); ++node)
      for (const auto part : cut(map.nodes[node], counts[node])) sets.push_back(core_set(part));
  }
  limit_core_counts(sets, map.processor_time);
  return sets;
}

std::vector<CoreSet> split_cores(int devices) { return split_cores(devices, usable_cores()); }

bool bind_current_thread(const CoreSet& cores) {
  if (cores.processors.empty()) return false;
  AffinityMask mask(cores.processors.back() + 1);
  for (const int processor : cores.processors) mask.set(processor);
  return sched_setaffinity(0, mask.bytes(), mask.data()) == 0;
}

std::string cpu_model_name() {
  if (const Topology topology = load_topology()) {
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE}) {
      const hwloc_obj_t object = hwloc_get_obj_by_type(topology.get(), type, 0);
      const char* model = object == nullptr ? nullptr : hwloc_obj_get_info_by_name(object, "CPUModel");
      if (model != nullptr) return model;
    }
  }
  return "unknown processor";
}

}  // namespace stretto
