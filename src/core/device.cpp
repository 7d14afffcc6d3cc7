#include <charconv>

#include <stretto/base/error.h>
#include <stretto/core/device.h>

namespace stretto {

std::string_view name(DeviceKind kind) {
  constexpr std::string_view names[] = {"cpu", "cuda", "sim"};
  return names[static_cast<std::size_t>(kind)];
}

Device Device::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view word = text.substr(0, colon);
  const std::string_view digits = colon == text.npos ? "0" : text.substr(colon + 1);
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  const bool is_number = error == std::errc() && end == digits.data() + digits.size() && index >= 0 && digits[0] != '-';
  for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda, DeviceKind::sim}) {
    if (is_number && word == name(kind)) return Device(kind, index);
  }
  throw DeviceError("unknown device \"" + std::string(text) + "\": write cpu:N, cuda:N or sim:N");
}

std::string to_string(const Device& device) {
  return std::string(name(device.kind())) + ":" + std::to_string(device.index());
}

}  // namespace stretto
