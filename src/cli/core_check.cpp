#include "cli/core_check.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/system.h>

namespace stretto::cli {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

void spin(std::int64_t spins) {
  std::uint64_t value = 1;
  for (std::int64_t i = 0; i < spins; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value));
  }
}

}  // namespace

CoreCheck::CoreCheck() : cores_(system_report().cores), spins_(1'000'000), best_on_one_(1) {
  const double seconds = std::min({seconds_on_one(), seconds_on_one(), seconds_on_one()});
  spins_ = static_cast<std::int64_t>(static_cast<double>(spins_) * 0.004 / seconds);
  best_on_one_ = std::min({seconds_on_one(), seconds_on_one(), seconds_on_one()});
}

double CoreCheck::seconds_on_one() {
  const Clock::time_point start = Clock::now();
  spin(spins_);
  return since(start);
}

double CoreCheck::measure() {
  // Workers that have just run out of work spin for a moment before they sleep.
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
  best_on_one_ = std::min(best_on_one_, seconds_on_one());
  if (cores_ == 1) return best_on_one_ / seconds_on_one();

  std::atomic<int> ready{0};
  std::atomic<bool> given_up{false};
  const auto meet_and_spin = [&] {
    ready.fetch_add(1);
    while (ready.load(std::memory_order_relaxed) < cores_)
      if (given_up.load(std::memory_order_relaxed)) return;
    spin(spins_);
  };
  std::vector<std::thread> others;
  try {
    for (int i = 1; i < cores_; ++i) others.emplace_back(meet_and_spin);
  } catch (const std::system_error& error) {
    given_up = true;
    for (std::thread& other : others) other.join();
    throw Error("the cores cannot be measured: the system starts no more threads: " + error.code().message());
  }
  while (ready.load() < cores_ - 1) {
  }
  const Clock::time_point start = Clock::now();
  meet_and_spin();
  for (std::thread& other : others) other.join();
  return cores_ * best_on_one_ / since(start);
}

}  // namespace stretto::cli
