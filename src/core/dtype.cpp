#include <array>
#include <string>

#include <stretto/base/error.h>
#include <stretto/core/dtype.h>

namespace stretto {

namespace {

constexpr std::array<std::string_view, 8> names = {"float32", "float64", "float16", "bfloat16",
                                                   "int32",   "int64",   "uint8",   "bool"};

}  // namespace

std::string_view name(DType dtype) { return names[static_cast<std::size_t>(dtype)]; }

DType parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<DType>(i);
  }
  std::string message = "unknown dtype \"" + std::string(text) + "\": write one of";
  for (std::size_t i = 0; i < names.size(); ++i) message.append(i == 0 ? " " : ", ").append(names[i]);
  throw DTypeError(message);
}

}  // namespace stretto
