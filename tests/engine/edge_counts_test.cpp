#include <stretto/trace/edge_counts.h>

#include "engine/testing.h"

namespace stretto {
namespace {

/// What was counted since.
class Counted {
 public:
  Counted() {
    wait_all();
    count_edges(true);
    before_ = edge_tally();
  }
  ~Counted() { count_edges(false); }

  std::uint64_t of(Hazard hazard, Crossing crossing) const {
    return edge_tally().at(hazard, crossing) - before_.at(hazard, crossing);
  }
  std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (std::size_t hazard = 0; hazard < hazard_count; ++hazard)
      for (std::size_t crossing = 0; crossing < crossing_count; ++crossing)
        sum += of(static_cast<Hazard>(hazard), static_cast<Crossing>(crossing));
    return sum;
  }

 private:
  EdgeTally before_;
};

TEST(EdgeCounts, OnTheCpuAreWhatWasTied) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine is done when a submission returns";
  const Counted counted;
  const Array<> x(1, cpu0);
  Gate gate;
  submit(cpu0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  submit(cpu1, {read(x)}, nothing);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::cpu_to_cpu), 1u);
  submit(cpu0, {write(x)}, nothing);
  EXPECT_EQ(counted.of(Hazard::write_after_read, Crossing::cpu_to_cpu), 1u);
  submit(cpu0, {write(x)}, nothing);
  EXPECT_EQ(counted.of(Hazard::write_after_write, Crossing::cpu_to_cpu), 1u);
  // It is both, and told as a read.
  submit(cpu0, {read_write(x)}, nothing);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::cpu_to_cpu), 2u);
  submit(sim0, {read(x)}, nothing);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::cpu_to_in_order), 1u);
  EXPECT_EQ(counted.all(), 5u);
  gate.open();
  wait_all();
  submit(cpu0, {write(x)}, nothing);
  EXPECT_EQ(counted.all(), 5u);
  wait_all();
}

TEST(EdgeCounts, OfInOrderLanesAreWhatTheyWaitFor) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine is done when a submission returns";
  const Counted counted;
  const Array<> x(1, sim0);
  Gate gate, host;
  submit(sim0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  submit(sim0, {read_write(x)}, nothing);
  submit({.device = sim0, .role = LaneRole::to_host}, {read(x)}, nothing);
  submit(sim1, {read(x)}, nothing);
  submit(cpu0, {read(x)}, [host](BodyContext&) { host.pass(); });
  ASSERT_TRUE(eventually([&] { return counted.all() >= 4; }));
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::same_lane), 1u);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::stream_to_stream), 1u);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::device_to_device), 1u);
  EXPECT_EQ(counted.of(Hazard::read_after_write, Crossing::in_order_to_cpu), 1u);
  std::thread reader([&] { x.wait(); });
  EXPECT_TRUE(eventually([&] { return counted.of(Hazard::host_read, Crossing::in_order_to_cpu) == 1; }));
  gate.open();
  host.open();
  reader.join();
  wait_all();
}

TEST(EdgeCounts, AreOffUntilAskedFor) {
  wait_all();
  const EdgeTally before = edge_tally();
  const Array<> x(1, cpu0);
  Gate gate;
  if (serial_engine()) gate.open();
  submit(cpu0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  submit(cpu1, {read(x)}, nothing);
  EXPECT_EQ(edge_tally().counts, before.counts);
  gate.open();
  wait_all();
}

}  // namespace
}  // namespace stretto
