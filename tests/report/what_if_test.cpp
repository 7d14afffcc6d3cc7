#include <gtest/gtest.h>
#include <stretto/report/what_if.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/lanes.h>

#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

/// Two chains of five tasks that share a stream, submitted a microsecond apart.
HandMadeRun two_chains() {
  HandMadeRun made;
  made.run.devices = {{"sim:0", 0, 1}};
  for (std::size_t i = 0; i < 10; ++i) {
    const auto time = static_cast<Nanoseconds>(i);
    const std::vector<std::size_t> after = i < 2 ? std::vector<std::size_t>() : std::vector{i - 2};
    made.add(i % 2 == 0 ? "a" : "b", "sim:0 stream 0", 10 * time, 10 * time + 10, after).submitted = 1000 * time;
  }
  return made;
}

TEST(WhatIf, TheMachineIsTheRecordedOneNothingChanges) {
  const HandMadeRun made = two_chains();
  const Prediction same = predict(made.run, {});
  EXPECT_EQ(same.total, 100'000);
  EXPECT_EQ(same.bound.bound(), 100'000);
  EXPECT_EQ(same.bottleneck, "the work of sim:0 stream 0");
  EXPECT_DOUBLE_EQ(same.bottleneck_share, 1);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(same.run.tasks[i].start, made.run.tasks[i].start);
}

TEST(WhatIf, IndependentChainsSpreadOverDevices) {
  const HandMadeRun made = two_chains();
  const Prediction two = predict(made.run, {.devices = 2});
  // The second chain begins when it is submitted.
  EXPECT_EQ(two.total, 51'000);
  EXPECT_EQ(two.run.tasks[0].device, "sim:0");
  EXPECT_EQ(two.run.tasks[9].device, "sim:1");
  EXPECT_EQ(two.run.tracks[two.run.tasks[9].track], "sim:1 stream 0");
  EXPECT_EQ(two.run.devices.size(), 2u);
  // A chain runs on one device, however many there are.
  EXPECT_EQ(predict(made.run, {.devices = 5}).total, 51'000);
}

TEST(WhatIf, ConnectedTasksStayTogether) {
  HandMadeRun made = two_chains();
  made.run.tasks[1].after.push_back({0, Hazard::war});
  EXPECT_EQ(predict(made.run, {.devices = 2}).total, 100'000);
  made = two_chains();
  // Memory that one chain used after the other is no reason to stay.
  made.run.tasks[1].after.push_back({0, Hazard::reuse});
  EXPECT_EQ(predict(made.run, {.devices = 2}).total, 60'000);
}

TEST(WhatIf, StreamsOfOneDeviceThatRanInTurnDoNotHoldUpAnother) {
  HandMadeRun made;
  for (Nanoseconds i = 0; i < 10; ++i) {
    const std::vector<std::size_t> after =
        i < 2 ? std::vector<std::size_t>() : std::vector{static_cast<std::size_t>(i - 2)};
    made.add("a", i % 2 == 0 ? "sim:0 stream 0" : "sim:0 stream 1", 10 * i, 10 * i + 10, after);
  }
  EXPECT_EQ(predict(made.run, {}).total, 100'000);
  EXPECT_EQ(predict(made.run, {}).bound.bound(), 100'000);
  EXPECT_EQ(predict(made.run, {.devices = 2}).total, 50'000);
}

TEST(WhatIf, DevicesComputeFasterAndLinksCopyFaster) {
  HandMadeRun made;
  made.add("matmul", "sim:0 stream 0", 0, 20);
  Task& copy = made.add("to", "sim:0 to host", 20, 30, {0});
  copy.role = Role::to_host;
  copy.bytes = 16'000;
  EXPECT_EQ(predict(made.run, {.compute = 2}).total, 20'000);
  // 8000 bytes are read and written.
  EXPECT_EQ(predict(made.run, {.link = 2}).total, 24'000);
  EXPECT_EQ(predict(made.run, {.link = 2, .compute = 4}).total, 9'000);
}

TEST(WhatIf, CopiesMoveWithTheTasksTheyServe) {
  HandMadeRun made;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto time = static_cast<Nanoseconds>(40 * i);
    made.add("from", "sim:0 from host", time, time + 10).role = Role::from_host;
    made.add("matmul", "sim:0 stream 0", time + 10, time + 30, {3 * i});
    made.add("to", "sim:0 to host", time + 30, time + 40, {3 * i + 1}).role = Role::to_host;
  }
  const Prediction two = predict(made.run, {.devices = 2});
  EXPECT_EQ(two.run.tracks[two.run.tasks[3].track], "sim:1 from host");
  EXPECT_EQ(two.run.tracks[two.run.tasks[5].track], "sim:1 to host");
  EXPECT_EQ(two.run.tasks[2].device, "sim:0");
}

TEST(WhatIf, WorkersOfACpuTakeWhatIsReady) {
  HandMadeRun made;
  made.run.devices = {{"cpu:0", 2, 0}};
  for (Nanoseconds i = 0; i < 4; ++i) {
    made.add("a", i % 2 == 0 ? "cpu:0 worker 1" : "cpu:0 worker 2", i / 2 * 10, i / 2 * 10 + 10);
  }
  EXPECT_EQ(predict(made.run, {}).total, 20'000);
  const Prediction two = predict(made.run, {.devices = 2});
  EXPECT_EQ(two.total, 10'000);
  EXPECT_EQ(two.bound.busiest, "cpu:0");
}

TEST(WhatIf, WhatRanInsideATaskMovesWithIt) {
  HandMadeRun made;
  made.run.devices = {{"cpu:0", 1, 0}};
  made.add("first", "cpu:0 worker 1", 0, 10);
  made.add("outer", "cpu:0 worker 1", 10, 30);
  made.add("inner", "cpu:0 worker 1", 14, 24).submitted = 12'000;
  made.add("last", "cpu:0 worker 1", 30, 32, {2});
  const Prediction fast = predict(made.run, {.compute = 2});
  EXPECT_EQ(fast.total, 16'000);
  EXPECT_EQ(fast.run.tasks[2].start, 7'000);
  EXPECT_EQ(fast.run.tasks[2].end, 12'000);
}

TEST(WhatIf, TheProgramWaitsAsItDid) {
  HandMadeRun made;
  made.add("a", "sim:0 stream 0", 0, 20);
  made.add_wait("host read", 5, 21).task = 0;
  Task& late = made.add("b", "sim:0 stream 0", 31, 51);
  late.submitted = 30'000;  // 9 us of its own after the wait
  made.add_wait("wait_all", 31, 52);
  EXPECT_EQ(predict(made.run, {}).total, 52'000);
  // 10, to wake 1, its own 9, to launch 1, 10, to wake 1.
  EXPECT_EQ(predict(made.run, {.compute = 2}).total, 32'000);
  const Prediction fastest = predict(made.run, {.compute = 1000});
  EXPECT_EQ(fastest.bottleneck, "the program itself, between its submissions");
}

/// Tasks at random on four streams of two devices and their copy lanes, as lanes in order run them.
Run random_run(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<Nanoseconds>(random() % static_cast<unsigned>(limit)); };
  HandMadeRun made;
  made.run.devices = {{"sim:0", 0, 2}, {"sim:1", 0, 2}};
  const std::vector<std::string> lanes = {"sim:0 stream 0", "sim:0 stream 1", "sim:0 to host",
                                          "sim:1 stream 0", "sim:1 stream 1", "sim:1 to host"};
  std::vector<Nanoseconds> free(lanes.size());
  Nanoseconds clock = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    clock += 1 + below(4);
    const auto lane = static_cast<std::size_t>(below(6));
    std::vector<std::size_t> after;
    Nanoseconds ready = std::max(clock, free[lane]);
    for (Nanoseconds k = below(3); k > 0 && i > 0; --k) {
      after.push_back(i - 1 - static_cast<std::size_t>(below(static_cast<int>(std::min<std::size_t>(i, 20)))));
      ready = std::max(ready, made.run.tasks[after.back()].end / 1000);
    }
    const Nanoseconds start = ready + below(3), end = start + 1 + below(20);
    Task& task = made.add("a", lanes[lane], start, end, after);
    task.submitted = 1000 * clock;
    if (lane % 3 == 2) task.role = Role::to_host;
    free[lane] = end;
    if (below(40) == 0) {
      const Nanoseconds over = std::max(clock, end) + 2;
      made.add_wait("host read", clock, over).task = i;
      clock = over;
    }
  }
  return made.run;
}

TEST(WhatIf, PredictsRandomRunsOfTheRecordedMachine) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const report::Run run = random_run(seed);
    const double recorded = static_cast<double>(run.end() - run.begin());
    EXPECT_NEAR(static_cast<double>(predict(run, {}).total), recorded, 0.01 * recorded) << "seed " << seed;
  }
}

TEST(WhatIf, KeepsEveryRule) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Prediction other = predict(random_run(seed), {.devices = 3, .compute = 3});
    std::vector<Nanoseconds> work(other.run.tracks.size());
    for (const Task& task : other.run.tasks) {
      work[task.track] += task.duration();
      EXPECT_GE(task.start, task.submitted);
      for (const Edge& edge : task.after) EXPECT_GE(task.start, other.run.tasks[edge.from].end);
    }
    // Nothing overlaps on a track.
    for (const TrackUse& use : track_use(other.run)) EXPECT_EQ(use.busy, work[use.track]);
  }
}

TEST(WhatIf, MayBeOfNothing) {
  const Prediction none = predict(report::Run(), {.devices = 3});
  EXPECT_EQ(none.total, 0);
  EXPECT_EQ(none.bottleneck, "nothing");
}

TEST(WhatIf, RefusesMachinesThatCannotBe) {
  const auto complaint = [](const Machine& machine) -> std::string {
    try {
      predict(report::Run(), machine);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint({.devices = 0}), "a machine of 0 devices cannot compute");
  EXPECT_EQ(complaint({.link = 0}), "a link of 0 GB/s cannot copy");
  EXPECT_EQ(complaint({.compute = -1}), "devices of -1 times the speed cannot compute");
}

}  // namespace
}  // namespace stretto::report
