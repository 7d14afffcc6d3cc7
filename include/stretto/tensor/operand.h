#pragma once

#include <cstdint>
#include <source_location>
#include <type_traits>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/core/scalar.h>

namespace stretto {

class Tensor;

/// What an operator takes where it can work with a tensor or a number: made implicitly from either, and carrying the
/// line where that happened, so that an error in `matmul(x, y)` or `x + 1` names the person's line.
///
/// A parameter type: it refers to the tensor, so it must not outlive the call it was made for. An operator that calls
/// others hands its own operand's `site()` on, `Operand(y, x.site())`: the outermost call wins.
class STRETTO_API Operand {
 public:
  Operand(const Tensor& tensor, CallSite site = std::source_location::current())
      : tensor_(&tensor), scalar_(0), site_(site) {}
  Operand(const Scalar& scalar, CallSite site = std::source_location::current())
      : tensor_(nullptr), scalar_(scalar), site_(site) {}
  /// Throws DTypeError for an unsigned integer beyond 63 bits.
  template <class T>
    requires(std::is_arithmetic_v<T> || detail::one_of<T, Float16, BFloat16>)
  Operand(T value, CallSite site = std::source_location::current())
      : tensor_(nullptr), scalar_(number(value, site)), site_(site) {}

  bool is_tensor() const { return tensor_ != nullptr; }
  /// Only where `is_tensor()`. It may be an undefined tensor.
  const Tensor& tensor() const { return *tensor_; }
  /// Only where not `is_tensor()`.
  const Scalar& scalar() const { return scalar_; }
  /// Where the operand was made.
  const CallSite& site() const { return site_; }

 private:
  template <class T>
  static Scalar number(T value, const CallSite& site) {
    if constexpr (detail::beyond_int64<T>) {
      return Scalar(value, site);
    } else {
      return value;
    }
  }

  const Tensor* tensor_;
  Scalar scalar_;
  CallSite site_;
};

}  // namespace stretto
