#include "cli/check/edge_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace stretto::cli {
namespace {

constexpr Device cpu0 = Device(DeviceKind::cpu, 0), sim0 = Device(DeviceKind::sim, 0),
                 sim1 = Device(DeviceKind::sim, 1);

TEST(EdgeCounts, NamesThePossibleKindsThatAreMissing) {
  EdgeTally edges;
  EXPECT_EQ(missing_kinds(edges, std::vector{cpu0}),
            "read after write cpu to cpu, write after read cpu to cpu, write after write cpu to cpu, "
            "host read cpu to cpu");
  for_each_edge_kind([&](EdgeKind kind) { edges.at(kind.hazard, kind.crossing) = 1; });
  EXPECT_EQ(missing_kinds(edges, std::vector{cpu0, sim0, sim1}), "");
  edges.at(Hazard::write_after_read, Crossing::device_to_device) = 0;
  EXPECT_EQ(missing_kinds(edges, std::vector{cpu0, sim0, sim1}), "write after read device to device");
  EXPECT_EQ(missing_kinds(edges, std::vector{cpu0, sim0}), "");
}

TEST(EdgeCounts, AddUp) {
  EdgeTally sum, more;
  more.at(Hazard::host_read, Crossing::cpu_to_cpu) = 2;
  add(sum, more);
  add(sum, more);
  EXPECT_EQ(sum.at(Hazard::host_read, Crossing::cpu_to_cpu), 4u);
  EXPECT_EQ(sum.at(Hazard::host_read, Crossing::in_order_to_cpu), 0u);
}

}  // namespace
}  // namespace stretto::cli
