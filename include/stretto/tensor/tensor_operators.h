#pragma once

#include <stretto/base/export.h>

namespace stretto {

class Operand;
class Tensor;

/// The C++ operators of tensors, as hidden friends of a base class of `Tensor`: they are found where an operand is a
/// tensor and nowhere else, and take each operand as an `Operand`, so that `1 + x` is a call like any other and errors
/// name its line. Each is the function named beside it, declared under `stretto/ops`.
class TensorOperators {
  friend STRETTO_API Tensor operator+(const Operand& a, const Operand& b);   // add
  friend STRETTO_API Tensor operator-(const Operand& a, const Operand& b);   // sub
  friend STRETTO_API Tensor operator*(const Operand& a, const Operand& b);   // mul
  friend STRETTO_API Tensor operator/(const Operand& a, const Operand& b);   // div
  friend STRETTO_API Tensor operator%(const Operand& a, const Operand& b);   // remainder
  friend STRETTO_API Tensor operator==(const Operand& a, const Operand& b);  // eq
  friend STRETTO_API Tensor operator!=(const Operand& a, const Operand& b);  // ne
  friend STRETTO_API Tensor operator<(const Operand& a, const Operand& b);   // lt
  friend STRETTO_API Tensor operator<=(const Operand& a, const Operand& b);  // le
  friend STRETTO_API Tensor operator>(const Operand& a, const Operand& b);   // gt
  friend STRETTO_API Tensor operator>=(const Operand& a, const Operand& b);  // ge
  friend STRETTO_API Tensor operator&(const Operand& a, const Operand& b);   // bitwise_and
  friend STRETTO_API Tensor operator|(const Operand& a, const Operand& b);   // bitwise_or
  friend STRETTO_API Tensor operator^(const Operand& a, const Operand& b);   // bitwise_xor
  friend STRETTO_API Tensor operator-(const Operand& x);                     // neg
  friend STRETTO_API Tensor operator~(const Operand& x);                     // bitwise_not
  friend STRETTO_API Tensor operator!(const Operand& x);                     // logical_not
};

}  // namespace stretto
