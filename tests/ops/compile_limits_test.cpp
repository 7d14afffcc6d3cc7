// What is not replayed, what fails, who calls, and how much memory it takes.

#include <stretto/tensor/compile.h>

#include <malloc.h>

#include <array>
#include <functional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <stretto/stretto.h>

#include "ops/compiled.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

/// Why the function is never replayed; its result must be `expected` each time.
template <typename Function>
std::string reason_of(Function function, const std::vector<float>& expected) {
  const auto compiled = compile(function);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(compiled(filled<float>({2}, 3.0f))), expected) << i;
  const CompileStatistics counts = compiled.statistics();
  EXPECT_EQ(counts.plain_calls, 3u);
  EXPECT_EQ(counts.replays, 0u);
  return counts.reason;
}

TEST(Compile, WhatCannotBeReplayedRunsEachTime) {
  if (!replays()) GTEST_SKIP() << "nothing is replayed here";
  const std::vector<float> six = repeated(2, 6.0f);
  const std::string handle_left =
      "leaves a handle of what it made, or of an argument, outside of its results: in a variable, or in the body of a "
      "task";
  EXPECT_EQ(reason_of([](const Tensor& x) { return x[0].item<float>() > 0 ? x * 2.0f : x; }, six),
            "reads a value, or waits for one");
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  wait_all();
                  return x * 2.0f;
                },
                six),
            "waits for all tasks");
  EXPECT_EQ(reason_of([](const Tensor& x) { return x + from_vector<float>({3, 3}); }, six),
            "makes a tensor of values that the host has");
  EXPECT_EQ(reason_of([](const Tensor& x) { return x * 2.0f + uniform({2}) * 0.0f; }, six), "draws random numbers");
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  Generator generator(1);
                  return x * 2.0f + uniform(generator, 0, 1, {2}) * 0.0f;
                },
                six),
            "draws random numbers");
  EXPECT_EQ(reason_of([](const Tensor& x) { return (x.to(sim(0)) * 2.0f).to(cpu()); }, six),
            "submits the task to, which copies to or from sim:0");
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  const Tensor y = x * 2.0f;
                  y.host_write<float>([](std::span<float>) {});
                  return y;
                },
                six),
            "writes by host_write");
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  const Tensor y = x * 1.0f;
                  task("doubles", cpu()).read_write(y).run([factor = 1.0f](TaskContext& context) mutable {
                    factor *= 2;
                    for (int i = 0; i < 2; ++i) context.data<float>(0)[i] *= factor;
                  });
                  return y;
                },
                six),
            "submits the task doubles, whose body may change what it has captured");
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  const DlpackLease lease = to_dlpack(x);
                  return x * 2.0f;
                },
                six),
            "lends a tensor's memory");
  Tensor outside;
  EXPECT_EQ(reason_of([&](const Tensor& x) { return outside = x * 2.0f; }, six), handle_left);
  EXPECT_EQ(reason_of(
                [&](const Tensor& x) {
                  outside = x;
                  return x * 2.0f;
                },
                six),
            handle_left);
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  task("reads", cpu()).read(x).run([x](TaskContext& context) { context.data<const float>(x); });
                  return x * 2.0f;
                },
                six),
            handle_left);
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  const Tensor y = x[0];
                  task("reads", cpu()).read(y).run([y](TaskContext&) {});
                  return x * 2.0f;
                },
                six),
            handle_left);
  EXPECT_EQ(reason_of(
                [](const Tensor& x) {
                  try {
                    task("too many", cpu()).read(x).write(x.expand({3, 2})).run([](TaskContext&) {});
                    x.reshape({7});
                  } catch (const Error&) {
                  }
                  wait_all();
                  return x * 2.0f;
                },
                six),
            "waits for all tasks");
}

TEST(Compile, AFunctionThatThrowsIsRecordedTheNextTime) {
  bool throws = true;
  const auto compiled = compile([&](const Tensor& x) {
    const Tensor y = x + 1.0f;
    if (std::exchange(throws, false)) throw Error("once");
    return y;
  });
  const Tensor x = filled<float>({2}, 1.0f);
  EXPECT_THROW(compiled(x), Error);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(compiled(x)), repeated(2, 2.0f));
  expect_counts(compiled, 1, 2);
}

TEST(Compile, FailuresNameTheTaskAndItsLine) {
  const CallSite site = CallSite::current();
  const auto compiled = compile([&](const Tensor& x) {
    const Tensor good = x + 1.0f;
    Tensor bad = empty({2});
    task("breaks", cpu(), site).read(x).write(bad).run([](TaskContext& context) {
      if (context.data<const float>(0)[0] == 13) throw Error("thirteen");
      context.data<float>(1)[0] = context.data<float>(1)[1] = 5;
    });
    return std::tuple(good, bad, bad + good);
  });
  const std::string message = "[breaks] thirteen" + here(site);
  for (int round = 0; round < 4; ++round) {
    const auto [good, bad, sum] = compiled(filled<float>({2}, round % 2 == 0 ? 1.0f : 13.0f));
    EXPECT_EQ(values(good)[0], round % 2 == 0 ? 2.0f : 14.0f);
    if (round % 2 == 0) {
      EXPECT_EQ(values(sum), repeated(2, 7.0f));
    } else {
      EXPECT_FAILURE(values(bad), Error, message);
      EXPECT_FAILURE(values(sum), Error, message);
    }
  }
  wait_all();
  Tensor failed = empty({2});
  task("before", cpu(), site).write(failed).run([](TaskContext&) { throw Error("failed before"); });
  const auto [good, bad, sum] = compiled(failed);
  EXPECT_FAILURE(values(good), Error, "[before] failed before" + here(site));
  EXPECT_FAILURE(values(sum), Error, "[before] failed before" + here(site));
  expect_counts(compiled, 1, 4);
}

TEST(Compile, InsideAnotherAndInsideATaskItRunsPlainly) {
  const auto inner = compile([](const Tensor& x) { return x * 3.0f; });
  const auto outer = compile([&](const Tensor& x) { return inner(x) + 1.0f; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(values(outer(filled<float>({2}, 2.0f))), repeated(2, 7.0f));
  expect_counts(outer, 1, 3);
  expect_counts(inner, 0, 0);
  const Tensor y = empty({2});
  task("calls", cpu()).write(y).run([&](TaskContext& context) {
    const std::vector<float> got = values(inner(filled<float>({2}, 4.0f)));
    std::copy(got.begin(), got.end(), context.data<float>(0));
  });
  EXPECT_EQ(values(y), repeated(2, 12.0f));
  wait_all();
  expect_counts(inner, 0, 0);
}

TEST(Compile, ARecursiveFunctionIsRight) {
  std::function<Tensor(const Tensor&)> again;
  int depth = 0;
  const auto compiled = compile([&](const Tensor& x) {
    if (++depth % 3 == 0) return x + 1.0f;
    return again(x) * 2.0f;
  });
  again = [&](const Tensor& x) { return compiled(x); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(compiled(filled<float>({2}, 1.0f))), repeated(2, 8.0f));
}

TEST(Compile, TwoThreadsMayCallIt) {
  const auto compiled = compile([](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 4; ++i) y = y + x;
    return y;
  });
  std::vector<std::thread> threads;
  std::array<bool, 2> right{true, true};
  for (std::size_t thread = 0; thread < 2; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 100; ++i) {
        const auto value = static_cast<float>(i);
        if (values(compiled(filled<float>({3}, value))) != repeated(3, value * 5)) right[thread] = false;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(right[0] && right[1]);
  const CompileStatistics counts = compiled.statistics();
  EXPECT_EQ(counts.recordings + counts.replays + counts.plain_calls, 200u);
  EXPECT_GE(counts.replays, replays() ? 190u : 0u);
}

TEST(Compile, ReplaysOutliveTheFunction) {
  Gate gate;
  const Tensor x = filled<float>({2}, 1.0f);
  Tensor result;
  {
    auto compiled = std::make_unique<CompiledFunction<Tensor (*)(const Tensor&)>>(
        [](const Tensor& y) { return (y + 1.0f) * 2.0f; }, CallSite::current());
    (*compiled)(x);
    if (!serial_engine()) task("hold", cpu()).read_write(x).run([gate](TaskContext&) { gate.pass(); });
    result = (*compiled)(x);
    result = (*compiled)(result);
  }
  gate.open();
  EXPECT_EQ(values(result), repeated(2, 10.0f));
}

std::size_t allocated_bytes() {
  const struct mallinfo2 allocated = mallinfo2();
  return allocated.uordblks + allocated.hblkhd;
}

TEST(Compile, ARecordingOfManyTasksIsSmall) {
  if (!replays()) GTEST_SKIP() << "nothing is replayed here";
  if (allocated_bytes() == 0) GTEST_SKIP() << "a sanitizer allocates here";
  constexpr std::size_t tasks = 100'000, variables = 256;
  std::vector<Tensor> x;
  for (std::size_t i = 0; i < variables; ++i) x.push_back(filled<float>({1}, 1.0f));
  const auto submit = [&] {
    for (std::size_t i = 0; i < tasks; ++i)
      task("update", cpu())
          .read(x[i * 7 % variables])
          .read(x[(i * 13 + 1) % variables])
          .read_write(x[(i * 29 + 2) % variables])
          .run([](TaskContext&) {});
  };
  // What pending tasks need is not the recording's.
  for (int i = 0; i < 2; ++i) submit();
  wait_all();
  const auto compiled = compile(submit);
  const std::size_t before = allocated_bytes();
  for (int i = 0; i < 4; ++i) compiled();
  wait_all();
  expect_counts(compiled, 1, 3);
  EXPECT_LE(allocated_bytes() - before, std::size_t{32} << 20);
}

TEST(Compile, ManyReplaysStayWithinTheMemory) {
  // A megabyte each, of 64 in all.
  const auto function = [](const Tensor& x) {
    Tensor y = x;
    for (int i = 0; i < 6; ++i) y = y + 1.0f;
    return y;
  };
  const auto compiled = compile(function);
  Tensor x = filled<float>({1 << 18}, 0.0f);
  for (int i = 0; i < 100; ++i) x = compiled(x);
  EXPECT_EQ(values(x), repeated(1 << 18, 600.0f));
}

}  // namespace
}  // namespace stretto
