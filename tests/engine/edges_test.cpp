// Every kind of edge between two tasks: that the second waits for the first where it must, and does not where it need
// not.

#include <tuple>

#include "engine/testing.h"

namespace stretto {
namespace {

constexpr AccessMode R = AccessMode::read, W = AccessMode::write, RW = AccessMode::read_write;

enum class Part { whole, box, same_box, overlapping_box, disjoint_box };

/// A matrix of 8 x 8 elements and parts of it.
std::optional<Box> box_of(Part part) {
  constexpr std::size_t item = sizeof(std::int64_t);
  switch (part) {
    case Part::whole: return {};
    case Part::box:
    case Part::same_box: return Box(0, item, Shape{4, 4}, Strides{8, 1});
    case Part::overlapping_box: return Box(27 * item, item, Shape{4, 4}, Strides{8, 1});
    case Part::disjoint_box: return Box(4 * item, item, Shape{4, 4}, Strides{8, 1});
  }
  return {};
}

struct Pair {
  AccessMode first_mode;
  Part first_part;
  AccessMode second_mode;
  Part second_part;

  bool ordered() const {
    if (first_mode == R && second_mode == R) return false;
    return first_part == Part::whole || second_part == Part::whole || second_part != Part::disjoint_box;
  }
};

class Edges : public testing::TestWithParam<std::tuple<Device, Device>> {};

std::string name_of(const testing::TestParamInfo<std::tuple<Device, Device>>& info) {
  const Device first = std::get<0>(info.param), second = std::get<1>(info.param);
  return std::string(name(first.kind())) + std::to_string(first.index()) + std::string(name(second.kind()));
}

INSTANTIATE_TEST_SUITE_P(Devices, Edges,
                         testing::Combine(testing::Values(cpu0, cpu1, sim0, sim1), testing::Values(cpu0, sim0)),
                         name_of);

void check(const Pair& pair, Device first_device, Device second_device) {
  const Array<> x(64, first_device);
  fill<std::int64_t>(x, 0, first_device);
  x.wait();
  const std::optional<Box> first_box = box_of(pair.first_part), second_box = box_of(pair.second_part);
  struct Seen {
    std::atomic<bool> first_done{false}, second_done{false}, in_order{false};
  };
  const auto seen = std::make_shared<Seen>();
  Gate gate;
  if (serial_engine()) gate.open();
  submit(first_device, {{x.get(), first_box ? &*first_box : nullptr, pair.first_mode}}, [seen, gate](BodyContext&) {
    gate.pass();
    seen->first_done = true;
  });
  submit(second_device, {{x.get(), second_box ? &*second_box : nullptr, pair.second_mode}}, [seen](BodyContext&) {
    seen->in_order = seen->first_done.load();
    seen->second_done = true;
  });
  if (!serial_engine()) {
    if (pair.ordered()) {
      sleep_for_milliseconds(2);
      EXPECT_FALSE(seen->second_done) << "it began before the first had ended";
    } else if (first_device != second_device || first_device.kind() != DeviceKind::cpu || worker_count() > 1) {
      EXPECT_TRUE(eventually([&] { return seen->second_done.load(); })) << "it waits for the first, and need not";
    }
  }
  gate.open();
  wait_all();
  EXPECT_TRUE(seen->second_done);
  EXPECT_TRUE(seen->in_order || !pair.ordered());
}

TEST_P(Edges, OfEveryKind) {
  const auto [first_device, second_device] = GetParam();
  for (const AccessMode first_mode : {R, W, RW})
    for (const AccessMode second_mode : {R, W, RW})
      for (const Part first_part : {Part::whole, Part::box})
        for (const Part second_part : {Part::whole, Part::same_box, Part::overlapping_box, Part::disjoint_box}) {
          SCOPED_TRACE("modes " + std::to_string(static_cast<int>(first_mode)) + " and " +
                       std::to_string(static_cast<int>(second_mode)) + ", parts " +
                       std::to_string(static_cast<int>(first_part)) + " and " +
                       std::to_string(static_cast<int>(second_part)));
          check({first_mode, first_part, second_mode, second_part}, first_device, second_device);
        }
}

TEST(Edge, ThroughAnEmptyBuffer) {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(0, device), y(0, device);
    std::atomic<int> done{0}, seen{-1};
    submit(device, {write(x)}, [&](BodyContext&) {
      sleep_for_milliseconds(5);
      done = 1;
    });
    submit(device, {read(x), write(y)}, [&](BodyContext&) { seen = done.load(); });
    y.wait();
    EXPECT_EQ(seen, 1);
  }
}

TEST(Edge, OfATaskThatOnlyReadsWhatNobodyWrote) {
  // Memory is bound by the first access, so two first readers must not do it at the same time.
  for (int round = 0; round < 200; ++round) {
    const Array<> x(64, round % 2 ? sim0 : cpu0);
    std::atomic<std::byte*> first{nullptr}, second{nullptr};
    submit(cpu0, {read(x)}, [&](BodyContext& context) { first = context.data(0); });
    submit(sim0, {read(x)}, [&](BodyContext& context) { second = context.data(0); });
    wait_all();
    EXPECT_NE(first, nullptr);
    EXPECT_EQ(first, second);
  }
}

TEST(Edge, OfAnEmptyBoxOfABufferThatHasElements) {
  // A write of no elements does not make the others written.
  const Array<> x(8);
  const Box empty;
  submit({.name = "fails"}, {write(x)}, [](BodyContext&) { throw Error("no"); });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[fails] no");
  submit(cpu0, {write(x, &empty)}, [](BodyContext&) {});
  EXPECT_EQ(error_of([&] { x.wait(); }), "[fails] no");
}

TEST(Edge, OfATaskThatNamesABufferTwice) {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x(64, device);
    const std::optional<Box> box = box_of(Part::box), other = box_of(Part::overlapping_box);
    fill<std::int64_t>(x, 1, device);
    for (int i = 0; i < 100; ++i) {
      const std::vector<std::vector<Access>> all{{read(x), write(x)},
                                                 {write(x), read(x)},
                                                 {read_write(x), read_write(x), read(x)},
                                                 {read(x, &*box), write(x, &*other)},
                                                 {write(x, &*box), read(x), read_write(x, &*other)}};
      submit(device, all[static_cast<std::size_t>(i) % all.size()],
             [](BodyContext& context) { ++data(context, 0)[27]; });
    }
    EXPECT_EQ(x.wait()[27], 101);
  }
}

TEST(Edge, AReadCountsThoughTheTaskNamedItsWriteFirst) {
  // The value that is read is the one from before the task, so its failure is the task's.
  const Array<> x(8);
  submit({.name = "fails"}, {write(x)}, [](BodyContext&) { throw Error("no"); });
  std::atomic<bool> ran{false};
  submit(cpu0, {write(x), read(x)}, [&](BodyContext&) { ran = true; });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[fails] no");
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace stretto
