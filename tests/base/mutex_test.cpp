#include "base/mutex.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace stretto {
namespace {

class Counter {
 public:
  void increment() STRETTO_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++value_;
    changed_.notify_all();
  }

  int wait_for_at_least(int value) STRETTO_EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    while (value_ < value) changed_.wait(lock);
    return value_;
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  int value_ STRETTO_GUARDED_BY(mutex_) = 0;
};

TEST(Mutex, KeepsThreadsApartAndWakesTheWaiter) {
  constexpr int thread_count = 4;
  constexpr int increments = 2000;
  Counter counter;
  std::vector<std::jthread> threads;
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&counter] {
      for (int j = 0; j < increments; ++j) counter.increment();
    });
  }
  EXPECT_EQ(counter.wait_for_at_least(thread_count * increments), thread_count * increments);
}

bool another_thread_can_take(Mutex& mutex) {
  bool taken = false;
  std::jthread([&] {
    if (mutex.try_lock()) {
      taken = true;
      mutex.unlock();
    }
  }).join();
  return taken;
}

TEST(Mutex, TryLockFailsWhileAnotherThreadHoldsIt) {
  Mutex mutex;
  mutex.lock();
  EXPECT_FALSE(another_thread_can_take(mutex));
  mutex.unlock();
  EXPECT_TRUE(another_thread_can_take(mutex));
}

TEST(MutexLock, UnlockLetsOthersIn) {
  Mutex mutex;
  MutexLock lock(mutex);
  EXPECT_FALSE(another_thread_can_take(mutex));
  lock.unlock();
  EXPECT_TRUE(another_thread_can_take(mutex));
  lock.lock();
  EXPECT_FALSE(another_thread_can_take(mutex));
}

TEST(ConditionVariable, TimedWaitsSayThatTimePassed) {
  Mutex mutex;
  ConditionVariable never;
  MutexLock lock(mutex);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
  while (never.wait_for(lock, std::chrono::milliseconds(5))) {
  }
  EXPECT_GE(std::chrono::steady_clock::now(), deadline);
}

}  // namespace
}  // namespace stretto
