#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "base/environment.h"

namespace stretto {

/// " (at FILE:LINE)", as errors end that name the line this is written in.
inline std::string here(CallSite site = std::source_location::current()) { return " (at " + to_string(site) + ")"; }

inline bool serial_engine() { return environment().engine == EngineKind::serial; }

inline void sleep_for_milliseconds(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// 0, 1, 2, ... in `shape`, on `device`.
template <Element T = float>
Tensor counting(const Shape& shape, Device device = Device()) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < shape.numel(); ++i) values.push_back(static_cast<T>(i));
  return from_vector(values, shape, device);
}

template <Element T = float>
Tensor filled(const Shape& shape, T value, Device device = Device()) {
  Tensor tensor = empty(shape, device, dtype_of<T>());
  tensor.fill_(value);
  return tensor;
}

/// A tensor on `device` whose only writer sleeps before it fills it with `value`.
inline Tensor slowly_filled(const Shape& shape, float value, Device device, int milliseconds) {
  Tensor tensor = empty(shape, device);
  task("slow fill", device).write(tensor).run([value, milliseconds, count = tensor.numel()](TaskContext& context) {
    sleep_for_milliseconds(milliseconds);
    float* values = context.data<float>(0);
    for (std::int64_t i = 0; i < count; ++i) values[i] = value;
  });
  return tensor;
}

/// Holds tasks until the test lets them go, or gives up: a test that waits wrongly fails instead of hanging.
class Gate {
 public:
  void open() { *open_ = true; }
  /// Whether it was opened in time.
  bool pass() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!*open_ && std::chrono::steady_clock::now() < deadline) sleep_for_milliseconds(1);
    return *open_;
  }

 private:
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

template <Element T>
std::vector<T> repeated(std::int64_t count, T value) {
  return std::vector<T>(static_cast<std::size_t>(count), value);
}

/// Tests that run once for each device of this process.
class OnEachDevice : public testing::TestWithParam<Device> {
 protected:
  Device device() const { return GetParam(); }
  /// Whether the device's memory is the host's.
  bool on_host() const { return device().kind() == DeviceKind::cpu; }
};

inline std::string device_name(const testing::TestParamInfo<Device>& info) {
  return std::string(name(info.param.kind())) + std::to_string(info.param.index());
}

}  // namespace stretto

/// `statement` throws an `Exception` whose line is `text`; fails the test when it throws nothing or something else.
#define EXPECT_FAILURE(statement, Exception, text)                             \
  do {                                                                         \
    const std::string expected_text = text;                                    \
    try {                                                                      \
      static_cast<void>(statement);                                            \
      ADD_FAILURE() << #statement << " throws nothing";                        \
    } catch (const Exception& error) {                                         \
      EXPECT_EQ(std::string(error.what()), expected_text);                     \
    } catch (const std::exception& error) {                                    \
      ADD_FAILURE() << #statement << " throws another kind: " << error.what(); \
    }                                                                          \
  } while (false)

#define INSTANTIATE_ON_EACH_DEVICE(Suite)                                                                          \
  INSTANTIATE_TEST_SUITE_P(                                                                                        \
      Each, Suite,                                                                                                 \
      testing::Values(stretto::Device(stretto::DeviceKind::cpu, 0), stretto::Device(stretto::DeviceKind::cpu, 1),  \
                      stretto::Device(stretto::DeviceKind::sim, 0), stretto::Device(stretto::DeviceKind::sim, 1)), \
      stretto::device_name)
