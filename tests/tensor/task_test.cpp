#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <optional>

#include "tensor/testing.h"

namespace stretto {
namespace {

class TaskOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(TaskOn);

/// Tasks that call `arrive` meet if they run at the same time.
class Meeting {
 public:
  explicit Meeting(int expected) : expected_(expected) {}

  void arrive() {
    ++arrived_;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (arrived_ < expected_ && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    if (arrived_ >= expected_) ++met_;
  }
  bool all_met() const { return met_ == expected_; }

 private:
  const int expected_;
  std::atomic<int> arrived_{0};
  std::atomic<int> met_{0};
};

/// Whether tasks that write these views all run at the same time.
bool run_at_the_same_time(const std::vector<Tensor>& views) {
  const auto meeting = std::make_shared<Meeting>(static_cast<int>(views.size()));
  for (const Tensor& view : views)
    task("meet", view.device()).write(view).run([meeting](TaskContext&) { meeting->arrive(); });
  wait_all();
  return meeting->all_met();
}

TEST_P(TaskOn, JoinsTheOperators) {
  const Tensor x = counting({1000}, device());
  const Tensor y = filled<float>({1000}, 1, device());
  y += 1;
  task("saxpy", device()).read(x).read_write(y).run([=](TaskContext& context) {
    const float* from = context.data<const float>(x);
    float* to = context.data<float>(y);
    for (std::int64_t i = 0; i < x.numel(); ++i) to[i] += 3 * from[i];
  });
  y *= 2;
  const std::vector<float> values = y.to_vector<float>();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(2 * (2 + 3 * i)));
}

TEST_P(TaskOn, ViewsBeginWhereTheyBegin) {
  const Tensor x = counting({4, 5}, device());
  const Tensor sums = empty({2}, device());
  task("sum", device()).read(x[1]).read(x.select(1, 3)).write(sums[1]).write(sums[0]).run([x](TaskContext& context) {
    const float* row = context.data<const float>(0);
    *context.data<float>(2) = std::accumulate(row, row + 5, 0.0f);
    const float* column = context.data<const float>(1);
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += column[5 * i];
    *context.data<float>(3) = sum;
    EXPECT_EQ(context.data<const float>(x[1]), row);
    EXPECT_EQ(context.data<const float>(x[1].slice(0, 2)), row + 2);
  });
  EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{3 + 8 + 13 + 18, 5 + 6 + 7 + 8 + 9}));
}

/// Case O5: tensors without elements order like any other.
TEST_P(TaskOn, O5EmptyTensorsOrderTasks) {
  for (int round = 0; round < 200; ++round) {
    const auto flag = std::make_shared<std::atomic<int>>(0);
    const auto seen = std::make_shared<std::atomic<int>>(-1);
    const Tensor x = empty({0}, device());
    task("A", device()).write(x).run([flag, round](TaskContext&) {
      sleep_for_milliseconds(round % 50 == 0 ? 50 : 0);
      flag->store(1);
    });
    task("B", device()).read(x).run([flag, seen](TaskContext&) { seen->store(flag->load()); });
    x.wait();
    wait_all();
    EXPECT_EQ(seen->load(), 1);
  }
}

TEST_P(TaskOn, O5TwoEmptyTensorsAreTwoVariables) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine never overlaps";
  EXPECT_TRUE(run_at_the_same_time({empty({0}, device()), empty({0, 3}, device())}));
}

/// Case O12.
TEST_P(TaskOn, O12DisjointPartsOfATensorRunAtTheSameTime) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine never overlaps";
  for (int round = 0; round < 20; ++round) {
    const Tensor x = empty({64, 64}, device());
    EXPECT_TRUE(run_at_the_same_time({x.narrow(0, 0, 32), x.narrow(0, 32, 32)}));
    EXPECT_TRUE(run_at_the_same_time({x.narrow(1, 0, 32), x.narrow(1, 32, 32)}));
    std::vector<Tensor> tiles;
    for (const int row : {0, 32})
      for (const int column : {0, 32}) tiles.push_back(x.narrow(0, row, 32).narrow(1, column, 32));
    EXPECT_TRUE(run_at_the_same_time(tiles));
  }
}

TEST_P(TaskOn, O12TilesThatShareAnElementRunOneAfterTheOther) {
  const Tensor x = empty({64, 64}, device());
  const auto inside = std::make_shared<std::atomic<int>>(0);
  const auto overlapped = std::make_shared<std::atomic<bool>>(false);
  const auto body = [inside, overlapped](TaskContext&) {
    if (++*inside != 1) overlapped->store(true);
    sleep_for_milliseconds(10);
    --*inside;
  };
  task("first", device()).write(x.narrow(0, 0, 33).narrow(1, 0, 33)).run(body);
  task("second", device()).write(x.narrow(0, 32, 32).narrow(1, 32, 32)).run(body);
  wait_all();
  EXPECT_FALSE(overlapped->load());
}

TEST_P(TaskOn, TakesManyTensors) {
  std::vector<Tensor> parts;
  TaskBuilder builder("gather", nullptr, CallSite());
  for (int i = 0; i < 100; ++i) {
    parts.push_back(filled<float>({2}, static_cast<float>(i), device()));
    builder.read(i % 2 ? parts.back() : parts.back().slice(0));
  }
  const Tensor total = empty({1}, device());
  builder.write(total).run([](TaskContext& context) {
    float sum = 0;
    for (int i = 0; i < 100; ++i) sum += context.data<const float>(i)[1];
    *context.data<float>(100) = sum;
  });
  EXPECT_EQ(total.item<float>(), 99 * 100 / 2);
}

TEST_P(TaskOn, KeepsTemporariesUntilItRuns) {
  const Tensor out = empty({1}, device());
  TaskBuilder builder("copy", nullptr, CallSite());
  builder.read(filled<float>({1}, 8, device()));
  builder.write(out);
  builder.run([](TaskContext& context) { *context.data<float>(1) = *context.data<const float>(0); });
  EXPECT_EQ(out.item<float>(), 8);
}

TEST_P(TaskOn, LargeClosuresAreMovedAlong) {
  const Tensor out = empty({3}, device());
  std::array<float, 400> numbers;
  numbers.fill(2);
  const std::string text(100, 'x');
  auto owner = std::make_unique<int>(5);
  task("large", device()).write(out).run([numbers, text, owner = std::move(owner)](TaskContext& context) {
    float* values = context.data<float>(0);
    values[0] = std::accumulate(numbers.begin(), numbers.end(), 0.0f);
    values[1] = static_cast<float>(text.size());
    values[2] = static_cast<float>(*owner);
  });
  EXPECT_EQ(out.to_vector<float>(), (std::vector<float>{800, 100, 5}));
}

TEST_P(TaskOn, WhatABodyCapturesIsDestroyedOnce) {
  struct Counter {
    explicit Counter(std::atomic<int>& count) : count_(&count) { ++count; }
    Counter(const Counter& other) : count_(other.count_) { ++*count_; }
    ~Counter() { --*count_; }
    std::atomic<int>* count_;
    char padding[32] = {};
  };
  std::atomic<int> alive{0};
  const Tensor x = filled<float>({1}, 1, device());
  {
    const Counter counter(alive);
    task("small", device()).read_write(x).run([&alive](TaskContext&) { alive.load(); });
    task("large", device()).read_write(x).run([counter](TaskContext&) {});
    task("fails", device()).read_write(x).run([counter](TaskContext&) { throw Error("no"); });
    task("skipped", device()).read_write(x).run([counter](TaskContext&) {});
  }
  EXPECT_THROW(wait_all(), Error);
  EXPECT_EQ(alive.load(), 0);
}

TEST_P(TaskOn, ParallelForCallsEachOnce) {
  const Tensor x = empty({1000}, device(), DType::int64);
  task("parallel", device()).write(x).run([](TaskContext& context) {
    auto* values = context.data<std::int64_t>(0);
    context.parallel_for(1000, [&](std::int64_t i) { values[i] = i * i; });
    context.parallel_for(0, [&](std::int64_t) { values[0] = -1; });
  });
  const auto values = x.to_vector<std::int64_t>();
  for (std::int64_t i = 0; i < 1000; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i * i);
}

TEST_P(TaskOn, KnowsItsDevice) {
  const Tensor x = empty({1}, device());
  std::optional<Device> seen;
  task("device").write(x).priority(Priority::high).run([&seen](TaskContext& context) {
    seen = context.device();
    EXPECT_EQ(context.cuda_stream(), nullptr);
  });
  x.wait();
  EXPECT_EQ(seen, device());
}

/// Case E5: each of many tasks makes tensors and reads a number.
TEST_P(TaskOn, E5TasksMayMakeAndReadTensors) {
  if (!on_host()) GTEST_SKIP() << "a body that issues to a lane does not wait for it";
  constexpr int count = 16;
  std::vector<Tensor> results;
  for (int i = 0; i < count; ++i) {
    results.push_back(empty({1}, device()));
    task("nested", device()).write(results.back()).run([i, device = device()](TaskContext& context) {
      const Tensor inner = filled<float>({10}, static_cast<float>(i), device);
      inner += 1;
      const Tensor copy = inner.to(Device());
      *context.data<float>(0) = copy[3].item<float>();
    });
  }
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(results[static_cast<std::size_t>(i)].item<float>(), static_cast<float>(i + 1));
}

TEST_P(TaskOn, ManyTasksUpdateManyVariables) {
  constexpr int variables = 64, tasks = 20000;
  std::vector<Tensor> values;
  std::vector<std::uint64_t> expected(variables, 1);
  for (int i = 0; i < variables; ++i) values.push_back(filled<std::int64_t>({1}, 1, device()));
  std::uint64_t state = 42;
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % variables;
  };
  for (int i = 0; i < tasks; ++i) {
    const std::size_t a = next(), b = next(), c = next();
    expected[c] = expected[c] * 3 + expected[a] - expected[b];
    task("update", device()).read(values[a]).read(values[b]).read_write(values[c]).run([](TaskContext& context) {
      const auto first = static_cast<std::uint64_t>(*context.data<const std::int64_t>(0));
      const auto second = static_cast<std::uint64_t>(*context.data<const std::int64_t>(1));
      auto* value = context.data<std::int64_t>(2);
      *value = static_cast<std::int64_t>(static_cast<std::uint64_t>(*value) * 3 + first - second);
    });
  }
  for (int i = 0; i < variables; ++i)
    EXPECT_EQ(static_cast<std::uint64_t>(values[static_cast<std::size_t>(i)].item<std::int64_t>()),
              expected[static_cast<std::size_t>(i)]);
}

TEST(Task, NamesWhatDoesNotFit) {
  const Tensor x = filled<float>({2, 3}, 0);
  const Tensor y = filled<float>({2}, 0);
  const Tensor elsewhere = filled<float>({2}, 0, sim());
  EXPECT_FAILURE(
      task("mixed", cpu()).read(x).read(elsewhere).run([](TaskContext&) {}), DeviceError,
      "[mixed] the task runs on cpu:0, tensor 1 of (2,) float32 is on sim:0: move it with to(device)" + here());
  EXPECT_FAILURE(task("empty", cpu()).read(x).read(Tensor()).run([](TaskContext&) {}), UsageError,
                 "[empty] the tensor is not defined: it was made by Tensor() and nothing was assigned to it" + here());
  EXPECT_FAILURE(task("nowhere", Device(DeviceKind::cpu, 4)).run([](TaskContext&) {}), DeviceError,
                 "[nowhere] there is no device cpu:4; this process has cpu:0, cpu:1, sim:0, sim:1" + here());

  // What a body asks for wrongly fails the task, and so whoever reads what it writes.
  const auto fails_with = [&](auto body) {
    task(std::string("wrong"), cpu(), CallSite("program.cpp", "main", 3)).read(x[0]).read_write(y).run(body);
    try {
      y.wait();
      return std::string("no error");
    } catch (const Error& error) {
      y.fill_(0);
      y.wait();
      return std::string(error.what());
    }
  };
  const std::string reading = "begin the task with read(x) or read_write(x) (at program.cpp:3)";
  const std::string writing =
      "begin the task with write(x) or read_write(x), or ask for data<const T> (at program.cpp:3)";
  const Tensor other = filled<float>({4}, 0);
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const float>(other); }),
            "[wrong] the tensor of (4,) float32 was not declared for reading: " + reading);
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const float>(x[1]); }),
            "[wrong] the tensor of (3,) float32 was not declared for reading: " + reading);
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<float>(x[0]); }),
            "[wrong] the tensor of (3,) float32 was not declared for writing: " + writing);
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<float>(0); }),
            "[wrong] tensor 0 was not declared for writing: " + writing);
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const double>(0); }),
            "[wrong] the data of a float32 tensor was asked for as float64 (at program.cpp:3)");
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<std::int32_t>(y); }),
            "[wrong] the data of a float32 tensor was asked for as int32 (at program.cpp:3)");
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const float>(2); }),
            "[wrong] there is no tensor 2: the task declared 2 (at program.cpp:3)");
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const float>(-1); }),
            "[wrong] there is no tensor 18446744073709551615: the task declared 2 (at program.cpp:3)");
  EXPECT_EQ(fails_with([&](TaskContext& c) { c.data<const float>(Tensor()); }),
            "[wrong] the tensor is not defined: it was made by Tensor() and nothing was assigned to it (at "
            "program.cpp:3)");
  try {
    wait_all();
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace stretto
