#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <stretto/base/export.h>

namespace stretto {

/// What a device is: cores of this machine, an NVIDIA GPU, or a simulated GPU made of host threads.
enum class DeviceKind : std::uint8_t { cpu, cuda, sim };

/// How many kinds there are, for tables indexed by kind.
inline constexpr int device_kind_count = 3;

/// "cpu", "cuda", "sim". Lives as long as the program.
STRETTO_API std::string_view name(DeviceKind kind);

/// The name of a device, such as cpu:0 or cuda:1: a plain value, which says nothing about whether this machine has it.
class STRETTO_API Device {
 public:
  /// cpu:0.
  constexpr Device() = default;
  /// `index` is at least 0 (not checked).
  constexpr explicit Device(DeviceKind kind, int index = 0) : kind_(kind), index_(index) {}

  /// Reads "cuda:1"; "cuda" is "cuda:0". Throws DeviceError that says what may be written.
  static Device parse(std::string_view text);

  constexpr DeviceKind kind() const { return kind_; }
  /// Counted from 0 among devices of its kind.
  constexpr int index() const { return index_; }

  friend constexpr bool operator==(const Device&, const Device&) = default;
  friend constexpr auto operator<=>(const Device&, const Device&) = default;

 private:
  DeviceKind kind_ = DeviceKind::cpu;
  int index_ = 0;
};

/// "cuda:1".
STRETTO_API std::string to_string(const Device& device);

}  // namespace stretto

template <>
struct std::hash<stretto::Device> {
  std::size_t operator()(const stretto::Device& device) const noexcept {
    return static_cast<std::size_t>(device.index()) * 4 + static_cast<std::size_t>(device.kind());
  }
};
