#include <stdexcept>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

class FailuresOn : public testing::TestWithParam<Device> {
 protected:
  Device device() const { return GetParam(); }
  TaskOptions named(const char* name, CallSite site = {}) const {
    return {.name = name, .device = device(), .site = site};
  }
};

INSTANTIATE_TEST_SUITE_P(Devices, FailuresOn, testing::Values(cpu0, sim0),
                         [](const auto& info) { return std::string(name(info.param.kind())); });

const CallSite line3("program.cpp", "main", 3), line4("program.cpp", "main", 4);

void add_one(BodyContext& context) { data(context, 1)[0] = data(context, 0)[0] + 1; }

/// Case E1.
TEST_P(FailuresOn, PoisonWhatDependsOnThemAndNothingElse) {
  const Array<> x(1, device()), y(1, device()), z(1, device());
  submit(named("makes x", line3), {write(x)}, [](BodyContext&) { throw ShapeError("it has no shape"); });
  submit(named("makes y", line4), {read(x), write(y)}, &add_one);
  fill<std::int64_t>(z, 7, device());
  const std::string text = "[makes x] it has no shape (at program.cpp:3)";
  EXPECT_EQ(error_of([] { wait_all(); }), text);
  EXPECT_THROW(x.wait(), ShapeError) << "the kind of the error is kept";
  EXPECT_EQ(error_of([&] { x.wait(); }), text);
  EXPECT_EQ(error_of([&] { y.wait(); }), text);
  EXPECT_EQ(z.item(), 7);
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing") << "a failure is told once";

  fill<std::int64_t>(x, 1, device());
  EXPECT_EQ(x.item(), 1) << "writing all of it makes it good again";
  EXPECT_EQ(error_of([&] { y.wait(); }), text);
  submit(named("makes y"), {read(x), write(y)}, &add_one);
  EXPECT_EQ(y.item(), 2);
}

/// Case E2.
TEST_P(FailuresOn, LeaveOtherBranchesAlone) {
  for (int round = 0; round < 50; ++round) {
    const Array<> a(1, device()), b(1, device()), c(1, device()), d(1, device());
    fill<std::int64_t>(a, 1, device());
    submit(named("B"), {write(b)}, [](BodyContext&) { throw std::runtime_error("no"); });
    submit(named("C"), {read(a), write(c)}, &add_one);
    submit(named("D"), {read(b), write(d)}, &add_one);
    EXPECT_EQ(a.item(), 1);
    EXPECT_EQ(c.item(), 2);
    EXPECT_EQ(error_of([&] { d.wait(); }), "[B] no");
    EXPECT_EQ(error_of([] { wait_all(); }), "nothing") << "it was read already";
  }
}

TEST_P(FailuresOn, RunThroughChainsOfAnyLength) {
  const Array<> x(1, device());
  std::atomic<int> ran{0};
  submit(named("first"), {write(x)}, [](BodyContext&) { throw Error("no"); });
  for (int i = 0; i < 3000; ++i) submit(named("next"), {read_write(x)}, [&](BodyContext&) { ++ran; });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[first] no");
  // What is issued already runs; nobody sees what it makes.
  EXPECT_TRUE(ran == 0 || device().kind() != DeviceKind::cpu);
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
}

TEST_P(FailuresOn, AreThoseOfTheEarliestTaskWhicheverFailsFirst) {
  for (int round = 0; round < 20; ++round) {
    const Array<> x(1, device()), y(1, device()), both(1, device());
    submit(named("early"), {write(x)}, [](BodyContext&) {
      sleep_for_milliseconds(2);
      throw Error("no");
    });
    submit(named("late"), {write(y)}, [](BodyContext&) { throw Error("no"); });
    submit(named("reads both"), {read(y), read(x), write(both)}, [](BodyContext&) {});
    if (round % 2 == 0) {
      EXPECT_EQ(error_of([] { wait_all(); }), "[early] no");
    }
    EXPECT_EQ(error_of([&] { both.wait(); }), "[early] no");
    EXPECT_EQ(error_of([&] { y.wait(); }), "[late] no");
    EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
  }
}

TEST_P(FailuresOn, OfWhatIsSkippedAreNotTold) {
  // On an in-order lane both are issued before the first is found out, and the second throws as well.
  const Array<> x(1, device());
  submit(named("first", line3), {read_write(x)}, [](BodyContext&) { throw Error("no"); });
  submit(named("second", line4), {read_write(x)}, [](BodyContext&) { throw Error("never"); });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[first] no (at program.cpp:3)");
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
}

TEST_P(FailuresOn, AreToldByTheirDeviceAlone) {
  const Array<> x(1, device());
  submit(named("fails", line3), {write(x)}, [](BodyContext&) { throw Error("no"); });
  for (const Device other : {cpu1, sim1})
    EXPECT_EQ(error_of([&] { Engine::get().synchronize(other, CallSite()); }), "nothing");
  EXPECT_EQ(error_of([&] { Engine::get().synchronize(device(), CallSite()); }), "[fails] no (at program.cpp:3)");
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
}

TEST_P(FailuresOn, PassFromDeviceToDevice) {
  const Device other = device() == cpu0 ? sim1 : cpu1;
  for (int round = 0; round < 30; ++round) {
    const Array<> x(1, device()), y(1, other), z(1, device());
    submit(named("here"), {write(x)}, [](BodyContext&) { throw Error("no"); });
    submit({.name = "there", .device = other}, {read(x), write(y)}, &add_one);
    submit(named("back"), {read(y), write(z)}, &add_one);
    EXPECT_EQ(error_of([&] { z.wait(); }), "[here] no");
    EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
  }
}

TEST_P(FailuresOn, DoNotPassToThoseWhoOnlyComeAfter) {
  const Array<> x(1, device()), y(1, device());
  fill<std::int64_t>(x, 3, device());
  submit(named("reader"), {read(x), write(y)}, [](BodyContext&) {
    sleep_for_milliseconds(1);
    throw Error("no");
  });
  fill<std::int64_t>(x, 4, device());  // comes after the reader, and uses nothing of it
  EXPECT_EQ(x.item(), 4);
  EXPECT_EQ(error_of([&] { y.wait(); }), "[reader] no");
}

TEST_P(FailuresOn, OfAnyTypeAreTold) {
  const Array<> x(1, device());
  submit(named("odd", line3), {write(x)}, [](BodyContext&) { throw 5; });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[odd] threw something that is no std::exception (at program.cpp:3)");
  submit(named("named", line3), {write(x)}, [](BodyContext&) { throw UsageError("inner", "wrong", line4); });
  EXPECT_EQ(error_of([&] { x.wait(); }), "[inner] wrong (at program.cpp:4)");
}

TEST_P(FailuresOn, DestroyWhatSkippedBodiesHold) {
  const auto held = std::make_shared<int>(1);
  const Array<> x(1, device());
  submit(named("first"), {write(x)}, [held](BodyContext&) { throw Error("no"); });
  for (int i = 0; i < 10; ++i) submit(named("skipped"), {read_write(x)}, [held](BodyContext&) {});
  EXPECT_EQ(error_of([] { wait_all(); }), "[first] no");
  EXPECT_EQ(held.use_count(), 1);
}

TEST_P(FailuresOn, StayInTheirBox) {
  const Array<> x(64, device()), y(1, device());
  const Box left(0, 8, Shape{8, 4}, Strides{8, 1}), right(32, 8, Shape{8, 4}, Strides{8, 1});
  submit(named("left"), {write(x, &left)}, [](BodyContext&) { throw Error("no"); });
  submit(named("right"), {write(x, &right)}, [](BodyContext& context) { data(context, 0)[4] = 9; });
  submit(named("reads right"), {read(x, &right), write(y)},
         [](BodyContext& context) { *data(context, 1) = data(context, 0)[4]; });
  EXPECT_EQ(y.item(), 9);
  EXPECT_EQ(error_of([&] { x.wait(); }), "[left] no");
  submit(named("left again"), {write(x, &left)}, [](BodyContext&) {});
  EXPECT_EQ(error_of([&] { x.wait(); }), "nothing");
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
}

TEST_P(FailuresOn, AreKeptThroughMergedBoxes) {
  // So many boxes are pending that the log merges them; then the first fails.
  const std::size_t count = 1500;
  const Array<> x(count, device());
  Gate gate;
  if (serial_engine()) gate.open();
  for (std::size_t i = 0; i < count; ++i) {
    const Box box(static_cast<std::int64_t>(8 * i), 8, Shape{1}, Strides{1});
    submit(i == 0 ? named("first") : named("other"), {write(x, &box)}, [gate, i](BodyContext&) {
      gate.pass();
      if (i == 0) throw Error("no");
    });
  }
  gate.open();
  EXPECT_TRUE(eventually([] { return Engine::get().pending_tasks() == 0; }));
  const Box first(0, 8, Shape{1}, Strides{1});
  EXPECT_EQ(error_of([&] { Engine::get().wait(*x.buffer, &first, "read", CallSite()); }), "[first] no");
  EXPECT_EQ(error_of([&] { x.wait(); }), "[first] no");
}

TEST(Failures, OfTwoThreadsAreBothTold) {
  std::atomic<int> told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        const Array<> x(1);
        submit({.name = "fails"}, {write(x)}, [](BodyContext&) { throw Error("no"); });
        if (error_of([&] { x.wait(); }) == "[fails] no") ++told;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(told, 400);
  EXPECT_EQ(error_of([] { wait_all(); }), "nothing");
}

TEST(Failures, AreThrownToEachReaderAsItsOwn) {
  const Array<> x(1);
  submit({.name = "fails"}, {write(x)}, [](BodyContext&) { throw IndexError("no"); });
  for (int reader = 0; reader < 2; ++reader) {
    try {
      x.wait();
      ADD_FAILURE() << "it has no value";
    } catch (IndexError& error) {
      EXPECT_STREQ(error.what(), "[fails] no") << "reader " << reader;
      error.with_context("read", line3);
    }
  }
}

TEST(Failures, KeepAKindThatAPersonMade) {
  struct Own : Error {
    using Error::Error;
  };
  const Array<> x(1);
  submit({.name = "fails"}, {write(x)}, [](BodyContext&) { throw Own("no"); });
  EXPECT_THROW(x.wait(), Own);
}

TEST(Failures, TooManyAccessesAreRefused) {
  const Array<> x(1);
  const std::vector<Access> accesses(5000, read(x));
  const auto held = std::make_shared<int>(1);
  EXPECT_EQ(error_of([&] { submit({.name = "wide", .site = line3}, accesses, [held](BodyContext&) {}); }),
            "[wide] 5000 accesses in one task; at most 4095 (at program.cpp:3)");
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Failures, OfADeviceThatIsNotThere) {
  EXPECT_EQ(
      error_of([] { Engine::get().create_buffer(Device(DeviceKind::sim, 9), 8); }).find("there is no device sim:9"),
      0u);
}

}  // namespace
}  // namespace stretto
