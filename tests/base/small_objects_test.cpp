#include "base/small_objects.h"

#include <array>
#include <barrier>
#include <cstring>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace stretto {
namespace {

TEST(SmallObjects, SizeClassIsTheSmallestThatFits) {
  EXPECT_EQ(SmallObjects::size_class(0), 0u);
  EXPECT_EQ(SmallObjects::size_class(256), 0u);
  EXPECT_EQ(SmallObjects::size_class(257), 1u);
  EXPECT_EQ(SmallObjects::size_class(2560), 2u);
  EXPECT_EQ(SmallObjects::size_class(2561), 3u);
}

TEST(SmallObjects, AreApartAndAligned) {
  for (std::size_t size_class = 0; size_class < SmallObjects::sizes.size(); ++size_class) {
    std::set<char*> objects;
    for (int i = 0; i < 1000; ++i) objects.insert(static_cast<char*>(SmallObjects::allocate(size_class)));
    ASSERT_EQ(objects.size(), 1000u);
    char* before = nullptr;
    for (char* object : objects) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 64, 0u);
      if (before) {
        EXPECT_GE(object - before, static_cast<std::ptrdiff_t>(SmallObjects::sizes[size_class]));
      }
      before = object;
    }
    for (char* object : objects) SmallObjects::free(object, size_class);
  }
}

TEST(SmallObjects, AreUsedAgainOnTheSameThread) {
  void* first = SmallObjects::allocate(0);
  SmallObjects::free(first, 0);
  EXPECT_EQ(SmallObjects::allocate(0), first);
  SmallObjects::free(first, 0);
}

/// Objects made on one thread and freed on another come back: the addresses in use stay few.
TEST(SmallObjects, ComeBackFromOtherThreads) {
  std::set<void*> seen;
  for (int round = 0; round < 200; ++round) {
    std::vector<void*> objects;
    for (int i = 0; i < 100; ++i) objects.push_back(SmallObjects::allocate(1));
    seen.insert(objects.begin(), objects.end());
    std::thread([&] {
      for (void* object : objects) SmallObjects::free(object, 1);
    }).join();
  }
  EXPECT_LT(seen.size(), 2000u);
}

/// A thread that only allocates takes what others shared, and leaves at its end what it did not use.
TEST(SmallObjects, OutliveAThreadThatFreesNone) {
  std::set<void*> seen;
  for (int round = 0; round < 500; ++round) {
    void* object = nullptr;
    std::thread([&] { object = SmallObjects::allocate(2); }).join();
    seen.insert(object);
    SmallObjects::free(object, 2);
  }
  EXPECT_LT(seen.size(), 200u);
}

/// Two threads at a time begin, use one object each, and end: what the first one took is enough for both.
TEST(SmallObjects, AreEnoughForThreadsThatBeginTogether) {
  std::set<void*> seen;
  for (int round = 0; round < 300; ++round) {
    std::array<void*, 2> objects{};
    std::barrier both(2);
    const auto use = [&](std::size_t thread) {
      objects[thread] = SmallObjects::allocate(2);
      both.arrive_and_wait();
      SmallObjects::free(objects[thread], 2);
    };
    std::thread other([&] { use(1); });
    std::thread([&] { use(0); }).join();
    other.join();
    seen.insert(objects.begin(), objects.end());
  }
  EXPECT_LT(seen.size(), 200u);
}

/// While one thread takes from what all share, others wait: what they would make instead is kept for ever.
TEST(SmallObjects, AreNotMadeWhileAnotherThreadTakesThem) {
  constexpr int threads = 8;
  std::set<void*> seen;
  for (int round = 0; round < 1000; ++round) {
    std::array<void*, threads> objects{};
    std::vector<std::thread> all;
    std::barrier begin(threads);
    for (std::size_t i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        begin.arrive_and_wait();
        objects[i] = SmallObjects::allocate(2);
      });
    for (std::thread& thread : all) thread.join();
    for (void* object : objects) SmallObjects::free(object, 2);
    seen.insert(objects.begin(), objects.end());
  }
  // A thread takes up to a slab's worth of them, so each may need one of its own.
  EXPECT_LE(seen.size(), (threads + 3) * (65536u / 2560));
}

/// Destructors of thread-locals that come after the pool's own still find it, and it keeps nothing for their thread.
TEST(SmallObjects, AreThereWhenAThreadHasEnded) {
  struct Late {
    ~Late() {
      if (object != nullptr) *object = SmallObjects::allocate(2);
    }
    void** object = nullptr;
  };
  std::set<void*> seen;
  for (int round = 0; round < 500; ++round) {
    void* object = nullptr;
    std::thread([&] {
      static thread_local Late late;
      late.object = &object;
      SmallObjects::free(SmallObjects::allocate(2), 2);
    }).join();
    seen.insert(object);
    SmallObjects::free(object, 2);
  }
  EXPECT_LT(seen.size(), 200u);
}

/// Threads write their mark into objects and pass them on: no object is ever owned twice.
TEST(SmallObjects, BelongToOneOwnerAtATime) {
  constexpr int threads = 4, rounds = 20000;
  Mutex mutex;
  std::vector<std::uint64_t*> passed;
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < rounds; ++i) {
        auto* object = static_cast<std::uint64_t*>(SmallObjects::allocate(0));
        const std::uint64_t mark = reinterpret_cast<std::uintptr_t>(object) * 31 + 7;
        object[0] = object[31] = mark;
        std::uint64_t* other = nullptr;
        {
          const MutexLock lock(mutex);
          passed.push_back(object);
          const std::size_t picked = random() % passed.size();
          std::swap(passed[picked], passed.back());
          other = passed.back();
          passed.pop_back();
        }
        const std::uint64_t expected = reinterpret_cast<std::uintptr_t>(other) * 31 + 7;
        if (other[0] != expected || other[31] != expected) ++wrong;
        SmallObjects::free(other, 0);
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (std::uint64_t* object : passed) SmallObjects::free(object, 0);
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace stretto
