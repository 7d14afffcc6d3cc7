#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <stretto/base/error.h>

#include "base/environment.h"
#include "base/thread.h"
#include "engine/engine.h"

namespace stretto {

inline bool serial_engine() { return environment().engine == EngineKind::serial; }

/// Workers of cpu:0: whether two of its tasks can run at the same time.
inline int worker_count() { return Engine::get().backend(DeviceKind::cpu)->workers(0)->worker_count(); }

inline constexpr Device cpu0 = Device(DeviceKind::cpu, 0), cpu1 = Device(DeviceKind::cpu, 1);
inline constexpr Device sim0 = Device(DeviceKind::sim, 0), sim1 = Device(DeviceKind::sim, 1);

/// By the clock of the engine, which is counted under a deterministic schedule.
inline void sleep_for_milliseconds(int milliseconds) { sleep_for(std::chrono::milliseconds(milliseconds)); }

/// Whether `condition` becomes true within a time that only a hang takes.
template <typename Condition>
bool eventually(Condition condition, double seconds = 20) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// What a test holds back a task with: whoever passes waits until it is opened, at most for a minute.
class Gate {
 public:
  void open() { state_->open = true; }
  void pass() const {
    ++state_->waiting;
    const bool opened = eventually([&] { return state_->open.load(); }, 60);
    if (!opened) throw Error("the gate was never opened");
  }
  /// How many came to the gate so far.
  int arrived() const { return state_->waiting; }

 private:
  struct State {
    std::atomic<bool> open{false};
    std::atomic<int> waiting{0};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// An array of the engine.
template <typename T = std::int64_t>
struct Array {
  BufferReference buffer;
  std::size_t count = 0;

  explicit Array(std::size_t elements, Device device = Device())
      : buffer(Engine::get().create_buffer(device, elements * sizeof(T))), count(elements) {}

  Buffer* get() const { return buffer.get(); }
  /// The elements, once they are there. Memory of simulated devices is the host's in truth.
  T* wait(CallSite site = std::source_location::current()) const {
    Engine::get().wait(*buffer, nullptr, "read", site);
    return reinterpret_cast<T*>(buffer->data());
  }
  T item(CallSite site = std::source_location::current()) const { return *wait(site); }
};

template <typename T>
Access read(const Array<T>& array, const Box* box = nullptr) {
  return {array.get(), box, AccessMode::read};
}
template <typename T>
Access write(const Array<T>& array, const Box* box = nullptr) {
  return {array.get(), box, AccessMode::write};
}
template <typename T>
Access read_write(const Array<T>& array, const Box* box = nullptr) {
  return {array.get(), box, AccessMode::read_write};
}

/// The body of a task that is there for its accesses.
inline void nothing(BodyContext&) {}

/// What a body works on.
template <typename T = std::int64_t>
T* data(const BodyContext& context, std::size_t access) {
  return reinterpret_cast<T*>(context.data(access));
}

struct TaskOptions {
  const char* name = "task";
  Device device{};
  Priority priority = Priority::normal;
  LaneRole role = LaneRole::compute;
  bool outside_effect = false;
  CallSite site{};
};

template <typename Body>
void submit(const TaskOptions& options, const std::vector<Access>& accesses, Body&& body) {
  Engine::get().submit({.name = options.name,
                        .site = options.site,
                        .device = options.device,
                        .role = options.role,
                        .priority = options.priority,
                        .outside_effect = options.outside_effect,
                        .accesses = accesses},
                       std::forward<Body>(body));
}
template <typename Body>
void submit(Device device, const std::vector<Access>& accesses, Body&& body) {
  submit(TaskOptions{.device = device}, accesses, std::forward<Body>(body));
}

/// Fills every element.
template <typename T>
void fill(const Array<T>& array, T value, Device device = Device()) {
  submit({.name = "fill", .device = device}, {write(array)}, [value, count = array.count](BodyContext& context) {
    for (std::size_t i = 0; i < count; ++i) data<T>(context, 0)[i] = value;
  });
}

inline void wait_all(CallSite site = std::source_location::current()) { Engine::get().wait_all(site); }

/// What `statement` throws, or "nothing".
template <typename Statement>
std::string error_of(Statement statement) {
  try {
    statement();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

/// A line of a program that there is not.
inline CallSite program(std::uint32_t line) { return {"program.cpp", "", line}; }

/// " (at FILE:LINE)", as errors end that name the line this is written in.
inline std::string here(CallSite site = std::source_location::current()) { return " (at " + to_string(site) + ")"; }

/// A number for random tests: another one each time within a process, so that repeating a test finds more.
/// ENGINE_TEST_SEED says where to begin.
inline std::uint64_t next_seed() {
  static std::atomic<std::uint64_t> next = [] {
    const char* begin = std::getenv("ENGINE_TEST_SEED");
    return begin == nullptr ? std::uint64_t{1} : std::strtoull(begin, nullptr, 10);
  }();
  return next++;
}

}  // namespace stretto
