#include "engine/replay.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "engine/replay_section.h"
#include "engine/template.h"
#include "engine/testing.h"

namespace stretto {
namespace {

class Replaying : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  }

  const Device device = GetParam();

  Array<Value> array(std::size_t count = 1) const { return Array<Value>(count, device); }
  void fill(const Array<Value>& array, Value value) const { stretto::fill(array, value, device); }
  BufferReference filled(Value value, std::size_t count = 1) const {
    const Array<Value> made = array(count);
    fill(made, value);
    return made.buffer;
  }
  /// Whether two tasks of the device can run at the same time.
  bool runs_two() const { return device == cpu0 ? worker_count() > 1 : environment().streams > 1; }
};

TEST_P(Replaying, AChainOnACapturedBufferGoesOn) {
  const Array<Value> x = array();
  fill(x, 1);
  const Section section({}, [&] {
    for (int i = 0; i < 10; ++i)
      submit(device, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) *= 3; });
  });
  ASSERT_EQ(section.reason, "");
  EXPECT_EQ(section.made->nodes().size(), 10u);
  EXPECT_EQ(section.made->ports().size(), 1u);
  Value expected = 59049;
  for (int i = 0; i < 2; ++i) {
    section({});
    expected *= 59049;
  }
  EXPECT_EQ(x.item(), expected);
}

TEST_P(Replaying, ArgumentsAndResultsAreThoseOfTheCall) {
  const BufferReference argument = filled(5);
  const Section section({argument}, [&] {
    const Array<Value> temporary = array(), result = array();
    submit(device, {access(argument, AccessMode::read), write(temporary)},
           [](BodyContext& context) { *data<Value>(context, 1) = 2 * *data<Value>(context, 0); });
    submit(device, {read(temporary), write(result)},
           [](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0) + 1; });
    return std::vector{result};
  });
  EXPECT_EQ(section.results.front().item(), 11);
  std::vector<BufferReference> results;
  for (Value i = 0; i < 20; ++i) results.push_back(section({filled(i)}).front());
  for (Value i = 0; i < 20; ++i) EXPECT_EQ(value_of(results[i]), 2 * i + 1);
  EXPECT_EQ(section.results.front().item(), 11);
}

TEST_P(Replaying, TemporariesOfAChainShareTwoPlaces) {
  const BufferReference argument = filled(1);
  const Section section({argument}, [&] {
    const Array<Value> result = array();
    BufferReference last = argument;
    for (int i = 0; i < 10; ++i) {
      const BufferReference next = i < 9 ? array().buffer : result.buffer;
      submit(device, {access(last, AccessMode::read), access(next, AccessMode::write)},
             [](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0) + 1; });
      last = next;
    }
    return std::vector{result};
  });
  EXPECT_EQ(section.made->places().size(), 2u);
  EXPECT_EQ(value_of(section({filled(7)}).front()), 17);
}

TEST_P(Replaying, WaitsForWhatComesBeforeAndIsWaitedFor) {
  const Array<Value> x = array();
  fill(x, 1);
  const Section section(
      {}, [&] { submit(device, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) *= 2; }); });
  Gate gate;
  submit(device, {read_write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data<Value>(context, 0) += 1;
  });
  section({});
  section({});
  submit(device, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 5; });
  gate.open();
  EXPECT_EQ(x.item(), (2 + 1) * 4 + 5);
}

TEST_P(Replaying, ReplaysOfWhatDoesNotMeetOverlap) {
  if (!runs_two()) GTEST_SKIP() << "one worker runs one at a time";
  Gate gate;
  const BufferReference argument = filled(0);
  const Section section({argument}, [&] {
    const Array<Value> result = array();
    submit(device, {access(argument, AccessMode::read), write(result)}, [gate](BodyContext& context) {
      const Value asked = *data<Value>(context, 0);
      if (asked == 1) gate.pass();
      *data<Value>(context, 1) = asked;
    });
    return std::vector{result};
  });
  const BufferReference one = filled(1), two = filled(2);
  // From here on it is known which streams are busy.
  wait_all();
  const BufferReference first = section({one}).front();
  const BufferReference second = section({two}).front();
  EXPECT_EQ(value_of(second), 2);
  gate.open();
  EXPECT_EQ(value_of(first), 1);
}

TEST_P(Replaying, LaterReadersOfTheSameDoNotWaitForOneAnother) {
  if (!runs_two()) GTEST_SKIP() << "one worker runs one at a time";
  Gate gate;
  const BufferReference argument = filled(4);
  const Section section({argument}, [&] {
    const Array<Value> result = array();
    submit(device, {access(argument, AccessMode::read), write(result)},
           [](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0); });
    return std::vector{result};
  });
  wait_all();
  submit(device, {access(argument, AccessMode::read)}, [gate](BodyContext&) { gate.pass(); });
  EXPECT_EQ(value_of(section({argument}).front()), 4);
  gate.open();
}

TEST_P(Replaying, AFailureSkipsWhatReadsItAndNothingElse) {
  const BufferReference argument = filled(1);
  const Section section({argument}, [&] {
    const Array<Value> bad = array(), reader = array(), good = array(), overwritten = array();
    const CallSite site("program.cpp", "", 7);
    submit({.name = "breaks", .device = device, .site = site},
           {access(argument, AccessMode::read), write(bad), write(overwritten)}, [](BodyContext& context) {
             if (*data<Value>(context, 0) == 13) throw Error("thirteen");
             *data<Value>(context, 1) = *data<Value>(context, 2) = 1;
           });
    submit(device, {read(bad), write(reader)}, [](BodyContext& context) { *data<Value>(context, 1) = 2; });
    submit(device, {access(argument, AccessMode::read), write(good)},
           [](BodyContext& context) { *data<Value>(context, 1) = 3; });
    submit(device, {write(overwritten)}, [](BodyContext& context) { *data<Value>(context, 0) = 4; });
    return std::vector{bad, reader, good, overwritten};
  });
  const auto results = section({filled(13)});
  const std::string expected = "[breaks] thirteen (at program.cpp:7)";
  EXPECT_EQ(error_of([&] { value_of(results[0]); }), expected);
  EXPECT_EQ(error_of([&] { value_of(results[1]); }), expected);
  EXPECT_EQ(value_of(results[2]), 3);
  EXPECT_EQ(value_of(results[3]), 4);
  section({filled(13)});
  EXPECT_EQ(error_of([] { wait_all(); }), expected);
  wait_all();
  EXPECT_EQ(value_of(section({filled(12)})[1]), 2);
}

TEST_P(Replaying, AFailureOfAnArgumentMeetsThoseWhoReadIt) {
  const BufferReference argument = filled(1), other = filled(1);
  const Section section({argument, other}, [&] {
    const Array<Value> reads_it = array(), reads_other = array();
    submit(device, {access(argument, AccessMode::read), write(reads_it)},
           [](BodyContext& context) { *data<Value>(context, 1) = 2; });
    submit(device, {access(other, AccessMode::read), write(reads_other)},
           [](BodyContext& context) { *data<Value>(context, 1) = 3; });
    return std::vector{reads_it, reads_other};
  });
  const Array<Value> failed = array();
  submit({.name = "breaks", .device = device}, {write(failed)}, [](BodyContext&) { throw Error("broken"); });
  const auto results = section({failed.buffer, filled(2)});
  EXPECT_EQ(error_of([&] { value_of(results[0]); }), "[breaks] broken");
  EXPECT_EQ(value_of(results[1]), 3);
}

TEST_P(Replaying, AFailureGoesThroughWhatIsChangedInTurn) {
  const BufferReference argument = filled(1);
  const auto increment = [](BodyContext& context) {
    if (++*data<Value>(context, 0) == 13) throw Error("thirteen");
  };
  const Section section({argument}, [&] {
    for (int i = 0; i < 3; ++i)
      submit({.name = "increments", .device = device}, {access(argument, AccessMode::read_write)}, increment);
  });
  const auto error_after = [&](const BufferReference& x) {
    section({x});
    return error_of([&] { value_of(x); });
  };
  const BufferReference failed = filled(11);
  EXPECT_EQ(error_after(failed), "[increments] thirteen");
  EXPECT_EQ(error_after(failed), "[increments] thirteen");
  submit(device, {access(failed, AccessMode::write)}, [](BodyContext& context) { *data<Value>(context, 0) = 2; });
  section({failed});
  EXPECT_EQ(value_of(failed), 5);
}

TEST_P(Replaying, PartsOfABufferAreToldApart) {
  constexpr std::size_t count = 8;
  const BufferReference argument = filled(1, count);
  const auto part = [](std::int64_t first, std::int64_t values) {
    return Box(geometry::contiguous({values}, first), sizeof(Value));
  };
  const Box low = part(0, 4), high = part(4, 4), middle = part(2, 4);
  const auto add = [](Value value) {
    return [value](BodyContext& context) {
      for (int i = 0; i < 4; ++i) data<Value>(context, 0)[i] += value;
    };
  };
  const Section section({argument}, [&] {
    submit(device, {access(argument, AccessMode::read_write, &low)}, add(1));
    submit(device, {access(argument, AccessMode::read_write, &high)}, [](BodyContext& context) {
      for (int i = 4; i < 8; ++i) data<Value>(context, 0)[i] *= 3;
    });
    submit(device, {access(argument, AccessMode::read_write, &middle)}, [](BodyContext& context) {
      for (int i = 2; i < 6; ++i) data<Value>(context, 0)[i] -= 5;
    });
  });
  const BufferReference x = filled(10, count);
  for (int i = 0; i < 3; ++i) section({x});
  std::vector<Value> expected(count, 10);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) expected[j] += 1;
    for (int j = 4; j < 8; ++j) expected[j] *= 3;
    for (int j = 2; j < 6; ++j) expected[j] -= 5;
  }
  value_of(x);
  const auto* values = reinterpret_cast<const Value*>(x->data());
  EXPECT_EQ(std::vector<Value>(values, values + count), expected);
}

TEST_P(Replaying, AFailedPartThatIsOverwrittenInsideFailsNobody) {
  constexpr std::size_t count = 8;
  const BufferReference argument = filled(1, count);
  const auto part = [](std::int64_t first, std::int64_t values) {
    return Box(geometry::contiguous({values}, first), sizeof(Value));
  };
  const Box low = part(0, 4), first = part(0, 2), last = part(6, 2);
  const Section section({argument}, [&] {
    const Array<Value> overwritten = array(), kept = array();
    submit(device, {access(argument, AccessMode::write, &low)},
           [](BodyContext& context) { std::fill_n(data<Value>(context, 0), 4, 5); });
    submit(device, {access(argument, AccessMode::read, &first), write(overwritten)},
           [](BodyContext& context) { *data<Value>(context, 1) = *data<Value>(context, 0); });
    submit(device, {access(argument, AccessMode::read, &last), write(kept)},
           [](BodyContext& context) { *data<Value>(context, 1) = data<Value>(context, 0)[6]; });
    return std::vector{overwritten, kept};
  });
  const auto results_after = [&](const Box& failing) {
    const BufferReference x = filled(1, count);
    submit({.name = "breaks", .device = device}, {access(x, AccessMode::write, &failing)},
           [](BodyContext&) { throw Error("broken"); });
    return section({x});
  };
  for (const Box& failing : {first, low}) {
    const auto results = results_after(failing);
    EXPECT_EQ(value_of(results[0]), 5);
    EXPECT_EQ(value_of(results[1]), 1);
  }
  const auto results = results_after(last);
  EXPECT_EQ(value_of(results[0]), 5);
  EXPECT_EQ(error_of([&] { value_of(results[1]); }), "[breaks] broken");
  EXPECT_EQ(error_of([] { wait_all(); }), "[breaks] broken");
}

TEST_P(Replaying, WaitingInsideForWhatWaitsForTheNodeIsAnError) {
  const Array<Value> x = array(), y = array();
  fill(x, 1);
  fill(y, 1);
  const Section section({}, [&] {
    submit({.name = "waits", .device = device}, {read(x)}, [y](BodyContext&) { y.item(); });
    submit(device, {read(x), read_write(y)}, [](BodyContext& context) { *data<Value>(context, 1) += 1; });
  });
  EXPECT_EQ(y.item(), 2);
  wait_all();
  const Array<Value> z = array();
  fill(z, 1);
  const Section circular({}, [&] {
    submit({.name = "waits", .device = device}, {read(x), read_write(y)}, [z, y](BodyContext& context) {
      if (*data<Value>(context, 1) > 2) z.item();
      *data<Value>(context, 1) += 1;
    });
    submit(device, {read(y), read_write(z)}, [](BodyContext& context) { *data<Value>(context, 1) += 1; });
  });
  wait_all();
  circular({});
  EXPECT_NE(error_of([] { wait_all(); }).find("for something that waits for this very task"), std::string::npos);
}

TEST_P(Replaying, WhatABodySubmitsIsPartOfTheReplay) {
  if (device != cpu0) GTEST_SKIP() << "what a body submits must not use what its task declared there";
  const Array<Value> x = array();
  fill(x, 3);
  const Array<Value> sum = array();
  fill(sum, 0);
  const Section section({}, [&] {
    submit(device, {read(x)}, [x, sum, on = device](BodyContext&) {
      submit(on, {read(x), read_write(sum)},
             [](BodyContext& context) { *data<Value>(context, 1) += *data<Value>(context, 0); });
    });
  });
  for (int i = 0; i < 5; ++i) section({});
  wait_all();
  EXPECT_EQ(sum.item(), 18);
}

TEST_P(Replaying, OutlivesWhoHadIt) {
  Gate gate;
  const Array<Value> x = array();
  fill(x, 1);
  {
    const Section section(
        {}, [&] { submit(device, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; }); });
    submit(device, {read_write(x)}, [gate](BodyContext&) { gate.pass(); });
    section({});
    section({});
  }
  gate.open();
  EXPECT_EQ(x.item(), 4);
}

TEST_P(Replaying, WaitsForAFreeOneOfMany) {
  const Array<Value> x = array();
  fill(x, 0);
  const Section section(
      {}, [&] { submit(device, {read_write(x)}, [](BodyContext& context) { *data<Value>(context, 0) += 1; }); });
  for (int i = 0; i < 1000; ++i) section({});
  EXPECT_EQ(x.item(), 1001);
}

INSTANTIATE_TEST_SUITE_P(Devices, Replaying, testing::Values(cpu0, sim0),
                         [](const auto& tested) { return tested.param.kind() == DeviceKind::cpu ? "Cpu" : "Sim"; });

TEST(ReplayingOnWorkers, UrgentNodesAndWhatTheyWaitForGoFirst) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  if (worker_count() > 1) GTEST_SKIP() << "several workers begin several at once";
  const Array<Value> start(1), urgent(1);
  std::string order;
  const Section section({}, [&] {
    const auto submit_one = [&](char name, Priority priority, const std::vector<Access>& accesses) {
      submit({.priority = priority}, accesses, [&order, name](BodyContext&) { order += name; });
    };
    submit_one('s', Priority::low, {write(start)});
    submit_one('l', Priority::low, {read(start)});
    submit_one('n', Priority::normal, {read(start)});
    submit_one('a', Priority::low, {read(start), write(urgent)});
    submit_one('h', Priority::high, {read(urgent)});
  });
  wait_all();
  order.clear();
  section({});
  wait_all();
  EXPECT_EQ(order, "sahnl");
}

}  // namespace
}  // namespace stretto
