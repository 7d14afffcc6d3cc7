// Compiled functions whose passes take their time to be made, as kernels that are compiled do.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <stretto/stretto.h>

#include "base/readiness.h"
#include "kernels/element_pass.h"
#include "ops/compiled.h"

namespace stretto {
namespace {

std::atomic<Readiness> readiness_of_passes;
ElementPassMaker plain_maker = nullptr;

class SlowProgram final : public ElementPassProgram {
 public:
  explicit SlowProgram(std::unique_ptr<const ElementPassProgram> program) : program_(std::move(program)) {}
  Readiness readiness() const override { return readiness_of_passes; }
  void run(std::byte* const* addresses, KernelContext& context) const override {
    EXPECT_EQ(readiness_of_passes, Readiness::ready);
    program_->run(addresses, context);
  }

 private:
  const std::unique_ptr<const ElementPassProgram> program_;
};

/// While there is one, passes on the CPU are as ready as `readiness_of_passes` says, and those that were refused are
/// not made again.
class CompileReadiness : public testing::Test {
 protected:
  void SetUp() override {
    if (!replays() || !environment().fuse) GTEST_SKIP() << "nothing runs as a pass here";
    readiness_of_passes = Readiness::unready;
    plain_maker = element_pass_maker(DeviceKind::cpu);
    const ElementPassRegistration slow(
        DeviceKind::cpu, [](const ElementPass& pass, int device) -> std::unique_ptr<const ElementPassProgram> {
          if (readiness_of_passes == Readiness::refused) return nullptr;
          return std::make_unique<SlowProgram>(plain_maker(pass, device));
        });
  }
  void TearDown() override {
    if (plain_maker != nullptr) const ElementPassRegistration plain(DeviceKind::cpu, plain_maker);
  }

  /// Of the recordings none or one is unready now.
  void expect_unready(std::size_t unready) const { EXPECT_EQ(compiled_.statistics().unready, unready); }
  void expect_call(std::uint64_t recordings, std::uint64_t replayed, std::uint64_t plain, std::uint64_t fused) {
    SCOPED_TRACE(++calls_);
    const float start = static_cast<float>(calls_);
    EXPECT_EQ(values(compiled_(full({3}, start))), std::vector<float>(3, start * 2 + 1));
    const CompileStatistics counts = compiled_.statistics();
    EXPECT_EQ(counts.recordings, recordings);
    EXPECT_EQ(counts.replays, replayed);
    EXPECT_EQ(counts.plain_calls, plain);
    EXPECT_EQ(counts.fused, fused);
    EXPECT_EQ(counts.kept, 1u);
    EXPECT_EQ(counts.reason, "");
  }

  static Tensor twice_and_one(const Tensor& x) { return x * 2.0f + 1.0f; }

 private:
  CompiledFunction<Tensor (*)(const Tensor&)> compiled_ = compile(&twice_and_one);
  std::uint64_t calls_ = 0;
};

TEST_F(CompileReadiness, TheFunctionIsRunUntilItsPassesAreReady) {
  expect_call(1, 0, 0, 2);
  expect_call(1, 0, 1, 2);
  expect_call(1, 0, 2, 2);
  expect_unready(1);
  readiness_of_passes = Readiness::ready;
  expect_unready(0);
  expect_call(1, 1, 2, 2);
  expect_call(1, 2, 2, 2);
}

TEST_F(CompileReadiness, ManyThreadsCallWhatBecomesReadyOrIsRefused) {
  for (const Readiness outcome : {Readiness::ready, Readiness::refused}) {
    readiness_of_passes = Readiness::unready;
    const auto compiled = compile(&twice_and_one);
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (int number = 0; number < 3; ++number) {
      threads.emplace_back([&, number] {
        for (int call = 0; call < 30 || !is_over; ++call) {
          const float start = static_cast<float>(1000 * number + call);
          ASSERT_EQ(values(compiled(full({3}, start))), std::vector<float>(3, start * 2 + 1));
        }
      });
    }
    while (compiled.statistics().plain_calls < 10) std::this_thread::yield();
    readiness_of_passes = outcome;
    while (compiled.statistics().replays < 10) std::this_thread::yield();
    is_over = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(compiled.statistics().unready, 0u);
    EXPECT_EQ(compiled.statistics().reason, "");
  }
}

TEST_F(CompileReadiness, WhatIsRefusedIsRecordedAnewWithoutPasses) {
  expect_call(1, 0, 0, 2);
  expect_call(1, 0, 1, 2);
  readiness_of_passes = Readiness::refused;
  expect_call(2, 0, 1, 0);
  expect_call(2, 1, 1, 0);
}

}  // namespace
}  // namespace stretto
