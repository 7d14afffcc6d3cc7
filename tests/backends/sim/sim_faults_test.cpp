// What goes wrong on purpose on simulated devices, and memory that is out of reach.

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>
#include <vector>

#include "backends/body_executor.h"
#include "backends/sim/sim_backend.h"
#include "backends/sim/sim_protection.h"
#include "kernels/sim/sim_context.h"

namespace stretto {
namespace {

using std::chrono::milliseconds;

/// Counts what was dropped.
class CountingExecutor final : public Executor {
 public:
  void execute(Work& work, KernelContext& context) override { static_cast<BodyWork&>(work).body(context); }
  void drop(Work&) override { ++dropped; }
  Work* run(Work&, KernelContext&) override { return nullptr; }
  Work& put_back(Work& work) override { return work; }
  bool run_urgent(KernelContext&) override { return false; }
  void idle() override {}
  bool awaited() const override { return false; }

  std::atomic<int> dropped = 0;
};

class SimFaultsTest : public testing::Test {
 protected:
  void make(std::string_view model, int devices = 1) {
    backend_ = std::make_unique<SimBackend>(SimOptions{.devices = devices,
                                                       .streams = 2,
                                                       .memory_bytes = 1 << 20,
                                                       .schedule_seed = std::nullopt,
                                                       .each = parse_sim_model(model, devices)});
  }
  Lane& lane(int number) { return *backend_->lanes(0)[static_cast<std::size_t>(number)]; }
  void issue(Lane& lane, std::function<void(KernelContext&)> body) {
    work_.emplace_back().body = std::move(body);
    lane.issue(work_.back(), executor_);
  }
  static void finish(Event& event) {
    while (!event.complete()) std::this_thread::yield();
  }
  static std::string text_of(const std::exception_ptr& failure) {
    if (failure == nullptr) return "no failure";
    try {
      std::rethrow_exception(failure);
    } catch (const DeviceError& error) {
      return error.message();
    }
  }

  std::deque<BodyWork> work_;
  CountingExecutor executor_;
  std::unique_ptr<SimBackend> backend_;
};

TEST_F(SimFaultsTest, TheCountThKernelOrCopyLosesTheDevice) {
  make("lost_at=3");
  std::atomic<int> ran = 0;
  std::vector<Event*> events;
  for (int i = 0; i < 5; ++i) {
    issue(lane(0), [&](KernelContext&) { ++ran; });
    events.push_back(lane(0).record());
  }
  for (Event* event : events) finish(*event);
  EXPECT_EQ(ran, 2);
  EXPECT_EQ(executor_.dropped, 3);
  const std::string why = "STRETTO_SIM_MODEL has it lost at its kernel or copy number 3";
  EXPECT_EQ(backend_->loss(0), why);
  EXPECT_EQ(text_of(events[1]->failure()), "no failure");
  for (int i : {2, 3, 4}) EXPECT_EQ(text_of(events[static_cast<std::size_t>(i)]->failure()), why);
  for (Event* event : events) lane(0).release(event);
}

TEST_F(SimFaultsTest, AnEventThatCannotBeMadeLosesTheDevice) {
  make("no_event_at=2");
  std::atomic<int> ran = 0;
  issue(lane(0), [&](KernelContext&) { ++ran; });
  Event* first = lane(0).record();
  finish(*first);
  Event* second = lane(1).record();
  finish(*second);
  EXPECT_NE(backend_->loss(0).find("refuses its event number 2"), std::string::npos);
  issue(lane(0), [&](KernelContext&) { ++ran; });
  Event* third = lane(0).record();
  finish(*third);
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(text_of(first->failure()), "no failure");
  EXPECT_NE(text_of(third->failure()), "no failure");
  lane(0).release(first);
  lane(1).release(second);
  lane(0).release(third);
}

TEST_F(SimFaultsTest, AStreamThatCannotBeMadeLosesTheDevice) {
  make("no_stream_at=2");
  std::atomic<int> ran = 0;
  issue(lane(0), [&](KernelContext&) { ++ran; });
  Event* first = lane(0).record();
  finish(*first);
  EXPECT_EQ(backend_->loss(0), "");
  issue(lane(1), [&](KernelContext&) { ++ran; });
  Event* second = lane(1).record();
  finish(*second);
  EXPECT_EQ(ran, 1);
  EXPECT_NE(text_of(second->failure()).find("refuses its stream number 2"), std::string::npos);
  lane(0).release(first);
  lane(1).release(second);
}

TEST_F(SimFaultsTest, TheCountThBlockIsRefusedOnce) {
  make("no_memory_at=2");
  MemorySource& memory = backend_->memory(0);
  std::byte* const first = memory.allocate(4096);
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(memory.allocate(4096), nullptr);
  std::byte* const third = memory.allocate(4096);
  EXPECT_NE(third, nullptr);
  memory.release(first, 4096);
  memory.release(third, 4096);
}

TEST_F(SimFaultsTest, EachDeviceHasTheMemoryItWasGiven) {
  make("sim:1.capacity=8K", 2);
  EXPECT_EQ(backend_->memory(0).capacity(), std::size_t{1} << 20);
  EXPECT_EQ(backend_->memory(1).capacity(), 8192U);
  EXPECT_EQ(backend_->memory(1).allocate(8193), nullptr);
}

TEST_F(SimFaultsTest, AKernelMayNotBeGivenMemoryOfTheHostOrOfAnotherDevice) {
  make("", 2);
  std::byte* const own = backend_->memory(0).allocate(64);
  std::byte* const other = backend_->memory(1).allocate(64);
  const std::byte host[64] = {};
  std::vector<std::string> said;
  const auto launch = [&](const std::byte* address) {
    issue(lane(0), [&said, address](KernelContext& context) {
      try {
        context.meter()->begin({}, std::span(&address, 1));
        said.emplace_back("fine");
      } catch (const DeviceError& error) {
        said.push_back(error.message());
      }
    });
  };
  launch(own);
  launch(other);
  launch(host);
  Event* event = lane(0).record();
  finish(*event);
  const std::string refused = "a kernel on sim:0 was given memory that is not the device's own";
  EXPECT_EQ(said, (std::vector<std::string>{"fine", refused, refused}));
  lane(0).release(event);
}

TEST_F(SimFaultsTest, ACopyNeedsAnEndOnItsDevice) {
  make("", 2);
  std::byte* const other = backend_->memory(1).allocate(64);
  std::string said;
  issue(lane(0), [&](KernelContext& context) {
    const std::byte host[64] = {};
    try {
      sim_context(context).copy(other, host, 64);
    } catch (const DeviceError& error) {
      said = error.message();
    }
  });
  Event* event = lane(0).record();
  finish(*event);
  EXPECT_EQ(said, "a copy on sim:0 was given memory of which none is the device's own");
  lane(0).release(event);
}

TEST_F(SimFaultsTest, AStopDoesNotWaitForACopyThatIsStaged) {
  make("staging=1K");
  std::vector<std::byte> host(4096);
  std::byte* const device = backend_->memory(0).allocate(4096);
  std::atomic<bool> began = false;
  issue(lane(0), [&](KernelContext& context) {
    began = true;
    // A second piece would take a second; so would the first, which the staging thread is asleep over.
    for (int i = 0; i < 1000; ++i) sim_context(context).copy(host.data(), device, 64);
  });
  while (!began) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  backend_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

class SimProtectionTest : public SimFaultsTest {
 protected:
  void SetUp() override {
    if (!sim_protection::available()) GTEST_SKIP() << "this processor has no protection keys";
    make("protect");
    memory_ = backend_->memory(0).allocate(64);
  }
  std::byte* memory_ = nullptr;
};

TEST_F(SimProtectionTest, AThreadOfTheHostThatTouchesADeviceFaults) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH({ *static_cast<volatile std::byte*>(memory_) = std::byte{1}; }, "");
  EXPECT_DEATH({ static_cast<void>(*static_cast<volatile std::byte*>(memory_)); }, "");
}

TEST_F(SimProtectionTest, LanesAndWhoAsksForItReachIt) {
  std::byte host[64] = {};
  issue(lane(0), [&](KernelContext& context) {
    std::memset(memory_, 9, 64);
    sim_context(context).copy(host, memory_, 64);
  });
  Event* event = lane(0).record();
  finish(*event);
  EXPECT_EQ(host[63], std::byte{9});
  {
    const SimAccess access;
    EXPECT_EQ(memory_[5], std::byte{9});
  }
  backend_->memory(0).release(memory_, 64);
  const SimAccess access;
  EXPECT_EQ(memory_[5], std::byte{0xFF});
  lane(0).release(event);
}

}  // namespace
}  // namespace stretto
