#include "backends/cpu/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace stretto {
namespace {

using namespace std::chrono_literals;

struct FunctionWork : Work {
  std::function<void()> body;
};

class FunctionExecutor final : public Executor {
 public:
  Work* run(Work& work, KernelContext&) override {
    static_cast<FunctionWork&>(work).body();
    return nullptr;
  }
  Work& put_back(Work& work) override { return work; }
  void execute(Work&, KernelContext&) override {}
  bool run_urgent(KernelContext&) override { return false; }
  void idle() override {}
  bool awaited() const override { return false; }
};

/// Whether `flag` is set within ten seconds.
bool comes_true(const std::atomic<bool>& flag) {
  for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;) {
    if (flag) return true;
    std::this_thread::sleep_for(100us);
  }
  return flag;
}

/// Pieces of work that live as long as it does: a worker may still be leaving a body whose effect was seen.
class Shelf {
 public:
  FunctionWork& add(std::function<void()> body) {
    pieces_.emplace_back().body = std::move(body);
    return pieces_.back();
  }

 private:
  std::deque<FunctionWork> pieces_;
};

/// Runs so many tasks that do nothing, so that the pool believes in small ones.
void run_small_tasks(WorkerPool& pool, Shelf& shelf, int count) {
  const auto ran = std::make_shared<std::atomic<int>>(0);
  for (int i = 0; i < count; ++i)
    pool.push(shelf.add([ran] { ran->fetch_add(1, std::memory_order_relaxed); }), Priority::normal);
  while (*ran < count) std::this_thread::sleep_for(100us);
}

/// Twenty times, a task that needs another one to run beside it, pushed when every worker sleeps and the pool believes
/// in small tasks, for which a second worker is not woken lightly.
void expect_work_taken_beside_a_long_task(WorkerPool& pool, Shelf& shelf) {
  for (int round = 0; round < 20; ++round) {
    run_small_tasks(pool, shelf, 2000);
    std::this_thread::sleep_for(10ms);  // until all sleep
    struct Seen {
      std::atomic<bool> first_began{false};
      std::atomic<bool> second_ran{false};
      std::atomic<bool> first_saw_it{false};
      std::atomic<bool> first_ended{false};
    };
    const auto seen = std::make_shared<Seen>();
    FunctionWork& first = shelf.add([seen] {
      seen->first_began = true;
      seen->first_saw_it = comes_true(seen->second_ran);
      seen->first_ended = true;
    });
    FunctionWork& second = shelf.add([seen] { seen->second_ran = true; });
    pool.push(first, Priority::normal);
    ASSERT_TRUE(comes_true(seen->first_began));
    pool.push(second, Priority::normal);
    while (!seen->first_ended) std::this_thread::sleep_for(100us);
    ASSERT_TRUE(seen->first_saw_it) << "round " << round;
  }
}

TEST(WorkerPool, TakesWorkBesideALongTaskAlsoWhenAllSlept) {
  FunctionExecutor executor;
  Shelf shelf;
  WorkerPool pool(executor, {.workers = 2, .on_thread_start = nullptr, .random_seed = std::nullopt});
  expect_work_taken_beside_a_long_task(pool, shelf);
}

/// The same once many workers were blocked at a time: those who took their places stay.
TEST(WorkerPool, TakesWorkBesideALongTaskWhenItHasManyThreads) {
  FunctionExecutor executor;
  Shelf shelf;
  WorkerPool pool(executor, {.workers = 4, .on_thread_start = nullptr, .random_seed = std::nullopt});
  constexpr int most = 30;
  std::atomic<int> blocked{0}, ended{0};
  std::atomic<bool> all_blocked{false};
  for (int i = 0; i < most; ++i)
    pool.push(shelf.add([&] {
      pool.blocking(true);
      if (++blocked == most) all_blocked = true;
      EXPECT_TRUE(comes_true(all_blocked));
      pool.blocking(false);
      ++ended;
    }),
              Priority::normal);
  while (ended < most) std::this_thread::sleep_for(100us);
  expect_work_taken_beside_a_long_task(pool, shelf);
}

bool comes_to_rest(WorkerPool& pool) {
  for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;) {
    if (pool.at_rest()) return true;
    std::this_thread::sleep_for(100us);
  }
  return pool.at_rest();
}

/// Two workers at work hold a pool of three up, queued work or not; once they block nothing does.
TEST(WorkerPool, IsAtRestWhenAllWorkersBlockOrLookForWork) {
  FunctionExecutor executor;
  Shelf shelf;
  WorkerPool pool(executor, {.workers = 3, .on_thread_start = nullptr, .random_seed = std::nullopt});
  EXPECT_TRUE(pool.at_rest());
  std::atomic<bool> block{false}, go_on{false}, leave{false};
  std::atomic<int> began{0}, blocked{0}, awake{0};
  for (int i = 0; i < 2; ++i)
    pool.push(shelf.add([&] {
      ++began;
      EXPECT_TRUE(comes_true(block));
      pool.blocking(true);
      ++blocked;
      EXPECT_TRUE(comes_true(go_on));
      pool.blocking(false);
      ++awake;
      EXPECT_TRUE(comes_true(leave));
    }),
              Priority::normal);
  while (began < 2) std::this_thread::sleep_for(100us);
  for (int look = 0; look < 100; ++look) EXPECT_FALSE(pool.at_rest());
  block = true;
  while (blocked < 2) std::this_thread::sleep_for(100us);
  EXPECT_TRUE(comes_to_rest(pool));
  go_on = true;
  while (awake < 2) std::this_thread::sleep_for(100us);
  for (int look = 0; look < 100; ++look) EXPECT_FALSE(pool.at_rest());
  leave = true;
  EXPECT_TRUE(comes_to_rest(pool));
}

/// Who waits for a chunk of its loop that blocks on another thread does no more than that one.
TEST(WorkerPool, IsAtRestWhenALoopWaitsForAChunkThatBlocks) {
  FunctionExecutor executor;
  Shelf shelf;
  WorkerPool pool(executor, {.workers = 2, .on_thread_start = nullptr, .random_seed = std::nullopt});
  std::atomic<bool> helped{false}, go_on{false}, ended{false};
  pool.push(shelf.add([&] {
    const std::thread::id owner = std::this_thread::get_id();
    pool.current_context().parallel_for(2, [&](std::int64_t) {
      if (std::this_thread::get_id() == owner) {
        // The other chunk is another thread's.
        EXPECT_TRUE(comes_true(helped));
        return;
      }
      pool.blocking(true);
      helped = true;
      EXPECT_TRUE(comes_true(go_on));
      pool.blocking(false);
    });
    ended = true;
  }),
            Priority::normal);
  ASSERT_TRUE(comes_true(helped));
  EXPECT_TRUE(comes_to_rest(pool));
  EXPECT_FALSE(ended);
  go_on = true;
  EXPECT_TRUE(comes_true(ended));
}

/// Tasks of which each needs all others beside it, pushed one right behind the other when every worker sleeps: one call
/// may be all that was made, so whoever comes calls the next, also where it took what another had claimed for itself.
TEST(WorkerPool, CallsAsManyAsTheWorkNeeds) {
  FunctionExecutor executor;
  Shelf shelf;
  constexpr int workers = 4;
  WorkerPool pool(executor, {.workers = workers, .on_thread_start = nullptr, .random_seed = std::nullopt});
  for (const Priority priority : {Priority::normal, Priority::high}) {
    for (int round = 0; round < 20; ++round) {
      run_small_tasks(pool, shelf, 2000);
      std::this_thread::sleep_for(10ms);  // until all sleep
      struct Seen {
        std::atomic<int> began{0};
        std::atomic<int> ended{0};
        std::atomic<bool> all_began{false};
        std::atomic<int> saw_all{0};
      };
      const auto seen = std::make_shared<Seen>();
      for (int i = 0; i < workers; ++i)
        pool.push(shelf.add([seen] {
          if (++seen->began == workers) seen->all_began = true;
          if (comes_true(seen->all_began)) ++seen->saw_all;
          ++seen->ended;
        }),
                  priority);
      while (seen->ended < workers) std::this_thread::sleep_for(100us);
      ASSERT_EQ(seen->saw_all, workers) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace stretto
