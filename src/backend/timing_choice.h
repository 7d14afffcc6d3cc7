#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace stretto {

/// Which pieces of work of a device's lanes are timed while a timeline is recorded, for a backend to which that costs
/// something. On an H200 two CUDA events that keep their time make of a launch of 3.2 us one of 5.4 us. So of short
/// work one piece in a while is timed, and what lies between two that are timed can be told from them. Work that takes
/// long is always timed, and so is work of which nothing is known.
///
/// `wants` is called by one thread, `learn` by one, which may be another.
class TimingChoice {
 public:
  /// Whether the work of this name, which is issued now, is to be timed. Names are told apart by their address and live
  /// as long as the process. `now` in nanoseconds.
  bool wants(const char* name, std::int64_t now) {
    const Known& known = known_[place(name)];
    const bool is_known = known.name.load(std::memory_order_acquire) == name;
    if (is_known && known.duration.load(std::memory_order_relaxed) < long_work && now - last_ < pause) return false;
    last_ = now;
    return true;
  }

  /// Work of this name took so many nanoseconds. What counts is the mean of some ten: a short kernel that had to wait
  /// for room on the device is no long one.
  void learn(const char* name, std::int64_t duration) {
    Known& known = known_[place(name)];
    const bool is_known = known.name.load(std::memory_order_relaxed) == name;
    const std::int64_t before = is_known ? known.duration.load(std::memory_order_relaxed) : duration;
    known.duration.store(before + (duration - before) / 8, std::memory_order_relaxed);
    known.name.store(name, std::memory_order_release);
  }

 private:
  static constexpr std::int64_t long_work = 20'000;
  /// Long enough for what two events cost to be some fortieth of it: measured, a lane loses more than the two calls.
  static constexpr std::int64_t pause = 100'000;

  struct Known {
    std::atomic<const char*> name{nullptr};
    std::atomic<std::int64_t> duration{0};
  };

  /// Names that fall on one place displace each other, and are timed more often.
  static std::size_t place(const char* name) {
    return static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(name) * 0x9e3779b97f4a7c15U >> 56);
  }

  std::array<Known, 256> known_;
  std::int64_t last_ = 0;
};

}  // namespace stretto
