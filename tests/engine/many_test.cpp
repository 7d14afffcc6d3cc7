// Many of something: readers, boxes, accesses, predecessors, tasks.

#include <deque>
#include <numeric>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

class ManyOn : public testing::TestWithParam<Device> {
 protected:
  Device device() const { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Devices, ManyOn, testing::Values(cpu0, sim0),
                         [](const auto& info) { return std::string(name(info.param.kind())); });

TEST_P(ManyOn, ReadersOfOneVariableAreAllAwaited) {
  for (const int count : {63, 64, 65, 66, 127, 128, 129, 1000}) {
    const Array<> x(1, device());
    std::atomic<int> done{0}, seen{-1};
    Gate gate;
    if (serial_engine()) gate.open();
    fill<std::int64_t>(x, 5, device());
    for (int i = 0; i < count; ++i)
      submit(device(), {read(x)}, [&, gate](BodyContext& context) {
        gate.pass();
        if (*data(context, 0) == 5) ++done;
      });
    submit(device(), {write(x)}, [&](BodyContext& context) {
      seen = done.load();
      *data(context, 0) = 6;
    });
    gate.open();
    EXPECT_EQ(x.item(), 6);
    EXPECT_EQ(seen, count);
  }
}

TEST_P(ManyOn, BoxesOfOneBufferKeepTheirOrder) {
  // More than the log keeps apart.
  const std::size_t count = 3000;
  const Array<> x(count, device());
  Gate gate;
  if (serial_engine()) gate.open();
  submit(device(), {write(x)}, [&](BodyContext& context) {
    gate.pass();
    std::iota(data(context, 0), data(context, 0) + count, 0);
  });
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      const Box box(static_cast<std::int64_t>(8 * i), 8, Shape{1}, Strides{1});
      submit(device(), {read_write(x, &box)}, [i](BodyContext& context) { data(context, 0)[i] *= 3; });
    }
  gate.open();
  const std::int64_t* values = x.wait();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], static_cast<std::int64_t>(27 * i));
}

TEST_P(ManyOn, OverlappingBoxesOfOneBufferKeepTheirOrder) {
  const std::size_t count = 400;
  const Array<> x(count + 1, device());
  std::vector<std::int64_t> expected(count + 1);
  fill<std::int64_t>(x, 0, device());
  for (std::size_t round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < count; ++i) {
      const Box box(static_cast<std::int64_t>(8 * i), 8, Shape{2}, Strides{1});
      submit(device(), {read_write(x, &box)}, [i, round](BodyContext& context) {
        std::int64_t* values = data(context, 0) + i;
        values[0] = 2 * values[1] + static_cast<std::int64_t>(i + round);
        values[1] = values[0] - values[1];
      });
      expected[i] = 2 * expected[i + 1] + static_cast<std::int64_t>(i + round);
      expected[i + 1] = expected[i] - expected[i + 1];
    }
  const std::int64_t* values = x.wait();
  for (std::size_t i = 0; i <= count; ++i) ASSERT_EQ(values[i], expected[i]) << i;
}

TEST_P(ManyOn, ATaskMayNameManyBoxesOfOneBuffer) {
  const std::size_t count = 3000;
  const Array<> x(count, device());
  std::deque<Box> boxes;
  std::vector<Access> accesses;
  for (std::size_t i = 0; i < count; ++i) {
    boxes.emplace_back(static_cast<std::int64_t>(8 * i), 8, Shape{i + 1 < count ? 2 : 1}, Strides{1});
    accesses.push_back(read_write(x, &boxes.back()));
  }
  fill<std::int64_t>(x, 1, device());
  for (int round = 0; round < 3; ++round)
    submit(device(), accesses, [=](BodyContext& context) {
      for (std::size_t i = 0; i < count; ++i) data(context, i)[i] += static_cast<std::int64_t>(i);
    });
  const std::int64_t* values = x.wait();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], static_cast<std::int64_t>(3 * i + 1));
}

TEST_P(ManyOn, AccessesAndPredecessorsOfEveryNumber) {
  for (const int count : {1, 4, 5, 6, 16, 17, 18, 19, 20, 31, 32, 100, 1000}) {
    std::deque<Array<>> inputs;
    std::vector<Access> accesses;
    Gate gate;
    if (serial_engine()) gate.open();
    for (int i = 0; i < count; ++i) {
      const Device one = i % 3 == 2 ? sim1 : device();
      const Array<>& input = inputs.emplace_back(1, one);
      submit(one, {write(input)}, [gate, i](BodyContext& context) {
        if (i % 2 == 0) gate.pass();
        *data(context, 0) = i + 1;
      });
      accesses.push_back(read(input));
    }
    const Array<> sum(1, device()), again(1, device());
    accesses.push_back(write(sum));
    submit(device(), accesses, [count](BodyContext& context) {
      std::int64_t total = 0;
      for (int i = 0; i < count; ++i) total += *data(context, static_cast<std::size_t>(i));
      *data(context, static_cast<std::size_t>(count)) = total;
    });
    // And they are all predecessors of those who write them next.
    for (const Array<>& input : inputs) fill<std::int64_t>(input, -1, device());
    submit(device(), {read(sum), write(again)}, [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
    gate.open();
    EXPECT_EQ(again.item(), static_cast<std::int64_t>(count) * (count + 1) / 2);
    for (const Array<>& input : inputs) EXPECT_EQ(input.item(), -1);
  }
}

TEST_P(ManyOn, SuccessorsOfOneTask) {
  const Array<> x(1, device());
  std::atomic<int> right{0};
  Gate gate;
  if (serial_engine()) gate.open();
  submit(device(), {write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data(context, 0) = 8;
  });
  for (int i = 0; i < 5000; ++i)
    submit(i % 2 ? device() : cpu1, {read(x)}, [&](BodyContext& context) { right += *data(context, 0) == 8; });
  gate.open();
  wait_all();
  EXPECT_EQ(right, 5000);
}

TEST_P(ManyOn, LongChains) {
  const Array<> x(1, device());
  fill<std::int64_t>(x, 0, device());
  for (int i = 0; i < 20000; ++i) submit(device(), {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
  EXPECT_EQ(x.item(), 20000);
}

TEST_P(ManyOn, ChainsThatATaskSubmits) {
  // They all become ready when it ends, one by one.
  const Array<> x(1, device());
  Gate gate;
  if (serial_engine()) gate.open();
  submit(device(), {}, [x, gate, device = device()](BodyContext&) mutable {
    submit(device == cpu0 ? cpu1 : sim1, {write(x)}, [gate](BodyContext&) { gate.pass(); });
    submit(device, {write(x)}, [](BodyContext& context) { *data(context, 0) = 0; });
    for (int i = 0; i < 50000; ++i) submit(device, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
    gate.open();
  });
  EXPECT_TRUE(eventually([&] { return Engine::get().pending_tasks() == 0; }));
  EXPECT_EQ(x.item(), 50000);
}

TEST_P(ManyOn, JoinsBehindJoins) {
  // Readers of one variable, so many that the joins that stand for them form a long chain; the first reader ends last.
  const Array<> x(1, device()), done(1);
  Gate gate;
  if (serial_engine()) gate.open();
  fill<std::int64_t>(x, 1, device());
  submit(sim1, {read(x)}, [gate](BodyContext&) { gate.pass(); });
  submit(cpu0, {write(done)}, [x, device = device()](BodyContext&) {
    for (int i = 0; i < 200000; ++i) submit(device, {read(x)}, [](BodyContext&) {});
  });
  done.wait();
  EXPECT_TRUE(serial_engine() || eventually([&] { return Engine::get().pending_tasks() < 5000; }));
  gate.open();
  fill<std::int64_t>(x, 2, device());
  EXPECT_EQ(x.item(), 2);
}

TEST(Many, IndependentTasksOfSeveralThreads) {
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20000; ++j)
        submit(cpu0, {}, [&](BodyContext&) { ran.fetch_add(1, std::memory_order_relaxed); });
    });
  for (std::thread& thread : threads) thread.join();
  wait_all();
  EXPECT_EQ(ran, 80000);
}

thread_local std::optional<Array<>> kept;

const Scenario short_threads("many short threads", [] {
  // Each holds an array in a thread-local made before the thread's first use of the engine, so that it ends behind it.
  std::int64_t total = 0;
  for (int i = 0; i < 10000; ++i) {
    std::thread([&] {
      kept.reset();
      kept.emplace(1);
      fill<std::int64_t>(*kept, 1);
      total += kept->item();
    }).join();
  }
  std::printf("%d\n", static_cast<int>(total));
  return 0;
});
TEST(Many, ShortThreads) { EXPECT_SCENARIO("many short threads", {}, "10000\n"); }

}  // namespace
}  // namespace stretto
