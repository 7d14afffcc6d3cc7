#include "backends/cpu/topology.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>
#include <thread>

namespace stretto {
namespace {

/// Nodes of so many cores each, with so many hardware threads a core, numbered through.
CoreMap machine(const std::vector<int>& cores_of_nodes, int threads_per_core = 1) {
  CoreMap map;
  int processor = 0;
  for (const int cores : cores_of_nodes) {
    auto& node = map.nodes.emplace_back();
    for (int core = 0; core < cores; ++core) {
      auto& threads = node.emplace_back();
      for (int thread = 0; thread < threads_per_core; ++thread) threads.push_back(processor++);
    }
  }
  return map;
}

std::vector<int> sizes(const std::vector<CoreSet>& sets) {
  std::vector<int> counts;
  for (const CoreSet& set : sets) counts.push_back(set.core_count);
  return counts;
}

int node_of(const CoreMap& map, int processor) {
  for (std::size_t node = 0; node < map.nodes.size(); ++node)
    for (const auto& core : map.nodes[node])
      if (std::ranges::find(core, processor) != core.end()) return static_cast<int>(node);
  return -1;
}

TEST(SplitCores, OneDeviceHasThemAll) {
  const auto sets = split_cores(1, machine({2, 2}));
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].processors, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(sets[0].core_count, 4);
}

TEST(SplitCores, EachCoreHasOneDeviceAndNoDeviceIsOnTwoNodes) {
  for (const auto& cores_of_nodes : std::vector<std::vector<int>>{{8}, {8, 8}, {3, 9}, {1, 16, 2}, {5, 5, 5, 5}}) {
    const CoreMap map = machine(cores_of_nodes, 2);
    int total = 0;
    for (const int cores : cores_of_nodes) total += cores;
    for (int devices = static_cast<int>(cores_of_nodes.size()); devices <= total; ++devices) {
      const auto sets = split_cores(devices, map);
      ASSERT_EQ(sets.size(), static_cast<std::size_t>(devices));
      std::multiset<int> used;
      for (const CoreSet& set : sets) {
        ASSERT_GE(set.core_count, 1);
        ASSERT_EQ(set.processors.size(), 2U * static_cast<std::size_t>(set.core_count));
        ASSERT_TRUE(std::ranges::is_sorted(set.processors));
        used.insert(set.processors.begin(), set.processors.end());
        for (const int processor : set.processors)
          ASSERT_EQ(node_of(map, processor), node_of(map, set.processors.front())) << devices << " devices";
      }
      ASSERT_EQ(used.size(), 2U * static_cast<std::size_t>(total));
      ASSERT_EQ(std::set<int>(used.begin(), used.end()).size(), used.size());
    }
  }
}

TEST(SplitCores, IsEvenWithinANode) {
  EXPECT_EQ(sizes(split_cores(4, machine({8}))), (std::vector<int>{2, 2, 2, 2}));
  EXPECT_EQ(sizes(split_cores(4, machine({8, 8}))), (std::vector<int>{4, 4, 4, 4}));
  EXPECT_EQ(sizes(split_cores(3, machine({8}))), (std::vector<int>{2, 3, 3}));
  EXPECT_EQ(sizes(split_cores(4, machine({3, 9}))), (std::vector<int>{3, 3, 3, 3}));
}

TEST(SplitCores, FewerDevicesThanNodesTakeWholeNodes) {
  const auto sets = split_cores(2, machine({2, 2, 2, 2}));
  EXPECT_EQ(sets[0].processors, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(sets[1].processors, (std::vector<int>{4, 5, 6, 7}));
}

TEST(SplitCores, MoreDevicesThanCoresTakeTurns) {
  const auto sets = split_cores(5, machine({1, 1}));
  ASSERT_EQ(sets.size(), 5U);
  for (std::size_t device = 0; device < sets.size(); ++device)
    EXPECT_EQ(sets[device].processors, std::vector<int>{static_cast<int>(device % 2)});
}

TEST(SplitCores, LimitedTimeMeansFewerThreadsOnTheSameCores) {
  CoreMap map = machine({16});
  map.processor_time = 4;
  EXPECT_EQ(sizes(split_cores(1, map)), std::vector<int>{4});
  EXPECT_EQ(split_cores(1, map)[0].processors.size(), 16U);
  EXPECT_EQ(sizes(split_cores(2, map)), (std::vector<int>{2, 2}));
  EXPECT_EQ(sizes(split_cores(8, map)), (std::vector<int>(8, 1)));
  map.processor_time = 0.5;
  EXPECT_EQ(sizes(split_cores(1, map)), std::vector<int>{1});
  map.processor_time = 100;
  EXPECT_EQ(sizes(split_cores(1, map)), std::vector<int>{16});
}

TEST(Topology, BoundThreadsRunWhereTheyWereBound) {
  const auto sets = split_cores(static_cast<int>(usable_cores().nodes.front().size()));
  for (const CoreSet& set : sets) {
    std::jthread([&set] {
      ASSERT_TRUE(bind_current_thread(set));
      std::this_thread::yield();
      EXPECT_TRUE(std::ranges::binary_search(set.processors, sched_getcpu()));
    }).join();
  }
}

TEST(Topology, AffinityOfTheProcessIsRespected) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  const int processor = sched_getcpu();
  ASSERT_TRUE(bind_current_thread({{processor}, 1}));
  const CoreMap map = usable_cores();
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
  ASSERT_EQ(map.nodes.size(), 1U);
  EXPECT_EQ(map.nodes[0], (std::vector<CoreMap::Core>{{processor}}));
}

TEST(Topology, ASetWithoutProcessorsBindsNothing) { EXPECT_FALSE(bind_current_thread({{}, 1})); }

TEST(Topology, TheProcessorHasAName) { EXPECT_FALSE(cpu_model_name().empty()); }

}  // namespace
}  // namespace stretto
