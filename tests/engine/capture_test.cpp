#include "engine/capture.h"

#include "engine/replay_section.h"
#include "engine/testing.h"

namespace stretto {
namespace {

TEST(Capturing, WhatCannotBeRepeatedIsNotCaptured) {
  const Array<Value> x(1), y(1, sim0), z(1, cpu1);
  fill<Value>(x, 0);
  const auto reason = [](auto submit) { return Section({}, submit).reason; };
  EXPECT_EQ(reason([&] { x.item(); }), "reads a value, or waits for one");
  EXPECT_EQ(reason([&] { wait_all(); }), "waits for all tasks");
  EXPECT_EQ(reason([&] { Engine::get().synchronize(cpu0, {}); }), "waits for all tasks of a device");
  EXPECT_EQ(reason([&] {
              fill<Value>(y, 1, sim0);
              fill<Value>(x, 1);
            }),
            "submits the task fill to a second device");
  EXPECT_EQ(reason([&] {
              submit({.name = "copy", .device = sim0, .role = LaneRole::from_host}, {read(x), write(y)},
                     [](BodyContext&) {});
            }),
            "submits the task copy, which copies to or from sim:0");
  EXPECT_EQ(reason([&] { submit(sim0, {read(x), write(y)}, [](BodyContext&) {}); }),
            "submits the task task, which uses memory of cpu:0");
  EXPECT_EQ(reason([&] {
              fill<Value>(x, 1);
              fill<Value>(z, 1, cpu1);
            }),
            "submits the task fill to a second device");
  EXPECT_EQ(reason([&] { submit(cpu0, {write(x)}, [calls = 0](BodyContext&) mutable { ++calls; }); }),
            "submits the task task, whose body may change what it has captured");
  EXPECT_EQ(reason([&] { Engine::get().bind_now(*Array<Value>(1).buffer); }),
            "makes a tensor of values that the host has");
  EXPECT_EQ(reason([&] { Engine::get().borrow(cpu0, nullptr, 0, nullptr); }), "takes over memory");
  wait_all();
}

}  // namespace
}  // namespace stretto
