#include <charconv>

#include <stretto/base/error.h>
#include <stretto/core/scalar.h>

namespace stretto {

std::string to_string(const Scalar& scalar) {
  if (scalar.dtype_ == DType::bool_) return scalar.integer_ != 0 ? "true" : "false";
  if (scalar.dtype_ == DType::int64) return std::to_string(scalar.integer_);
  char text[32];  // the shortest form that reads back as the same double has at most 24 characters
  return std::string(text, std::to_chars(text, text + sizeof(text), scalar.real_).ptr);
}

void Scalar::throw_unrepresentable(const std::string& value, DType dtype, const CallSite& site) {
  throw DTypeError("", value + " cannot be represented as " + std::string(name(dtype)), site);
}

}  // namespace stretto
