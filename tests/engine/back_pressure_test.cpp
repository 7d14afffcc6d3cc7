#include <algorithm>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

const Variables small_limit{{"STRETTO_MAX_INFLIGHT", "64"}, {"STRETTO_ENGINE", "parallel"}};

/// Counting looks at all threads, so the limit is looked at once in so many submissions.
constexpr std::size_t look_interval = 256;

const Scenario bounded("pending tasks are bounded", [] {
  std::atomic<int> ran{0};
  std::atomic<std::size_t> most{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread)
    threads.emplace_back([&] {
      for (int i = 0; i < 4000; ++i) {
        submit(i % 2 ? cpu0 : sim0, {}, [&](BodyContext&) {
          std::this_thread::sleep_for(std::chrono::microseconds(20));
          ++ran;
        });
        const std::size_t pending = Engine::get().pending_tasks();
        for (std::size_t seen = most; pending > seen && !most.compare_exchange_weak(seen, pending);) {
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  wait_all();
  std::printf("%d tasks, %s\n", ran.load(), most <= 64 + 3 * look_interval ? "bounded" : "not bounded");
  return 0;
});

TEST(BackPressure, BoundsWhatIsPending) {
  EXPECT_SCENARIO("pending tasks are bounded", small_limit, "12000 tasks, bounded\n");
}

const Scenario from_inside("submissions inside tasks", [] {
  // What the task submits does not run before it ends, so it must never be held back.
  const Array<> x(1), count(1);
  Gate gate;
  submit(cpu0, {write(count)}, [x, gate](BodyContext& context) mutable {
    submit(cpu1, {write(x)}, [gate](BodyContext& context) {
      gate.pass();
      *data(context, 0) = 0;
    });
    for (int i = 0; i < 20000; ++i) submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
    *data(context, 0) = static_cast<std::int64_t>(Engine::get().pending_tasks());
    gate.open();
  });
  const bool all_were_pending = count.item() >= 20000;
  wait_all();
  std::printf("%s, %d\n", all_were_pending ? "never held back" : "held back", static_cast<int>(x.item()));
  return 0;
});

TEST(BackPressure, NeverHoldsATaskBack) {
  const Ended ended = run_scenario("submissions inside tasks", small_limit);
  EXPECT_EQ(ended.output, "never held back, 20000\n");
}

const Scenario gated("what is pending waits for the caller", [] {
  const Array<> x(1);
  Gate gate;
  submit(cpu0, {write(x)}, [gate](BodyContext& context) {
    gate.pass();
    *data(context, 0) = 0;
  });
  for (int i = 0; i < 10000; ++i) submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
  gate.open();
  std::printf("%d\n", static_cast<int>(x.item()));
  return 0;
});

TEST(BackPressure, LetsTheCallerThroughWhenAllWaitForIt) {
  const Ended ended = run_scenario("what is pending waits for the caller", small_limit);
  EXPECT_EQ(ended.output, "10000\n");
  EXPECT_LT(ended.seconds, 20) << "it waits again at each look, and nothing has moved";
}

const Scenario of_one("a limit of one", [] {
  const Array<> x(1);
  fill<std::int64_t>(x, 0);
  for (int i = 0; i < 2000; ++i) submit(cpu0, {read_write(x)}, [](BodyContext& context) { ++*data(context, 0); });
  std::printf("%d\n", static_cast<int>(x.item()));
  return 0;
});

TEST(BackPressure, AdmitsAtLeastOneTask) {
  EXPECT_SCENARIO("a limit of one", (Variables{{"STRETTO_MAX_INFLIGHT", "1"}}), "2000\n");
}

}  // namespace
}  // namespace stretto
