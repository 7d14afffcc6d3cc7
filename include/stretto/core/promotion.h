#pragma once

#include <initializer_list>
#include <span>

#include <stretto/base/export.h>
#include <stretto/core/dtype.h>
#include <stretto/core/scalar.h>

namespace stretto {

/// The smallest type that holds values of both, as PyTorch's `promote_types`: bool < uint8 < int32 < int64 < float16
/// and bfloat16 (together: float32) < float32 < float64.
STRETTO_API DType promote(DType a, DType b);

/// How much an operand's type weighs, lightest first. The heaviest group of operands decides, unless a lighter one is
/// of a higher kind (bool < integer < floating).
enum class OperandWeight : std::uint8_t {
  scalar,       ///< a number written in the program: only its kind counts, and a floating one means `default_dtype`
  zero_rank,    ///< a tensor of rank 0
  dimensioned,  ///< a tensor of rank 1 or more
};

/// What type promotion looks at in an operand.
struct PromotionOperand {
  DType dtype;
  OperandWeight weight;

  /// A tensor's operand.
  static constexpr PromotionOperand tensor(DType dtype, int rank) {
    return {dtype, rank > 0 ? OperandWeight::dimensioned : OperandWeight::zero_rank};
  }
  static constexpr PromotionOperand scalar(const Scalar& value) { return {value.dtype(), OperandWeight::scalar}; }
};

/// The type an operation over these operands computes in, exactly as PyTorch's `result_type`: an int32 tensor and 2.5
/// give float32, a uint8 tensor and 3 give uint8, a float16 tensor and a float64 tensor of rank 0 give float16. At
/// least one operand.
STRETTO_API DType result_type(std::span<const PromotionOperand> operands);
STRETTO_API DType result_type(std::initializer_list<PromotionOperand> operands);

}  // namespace stretto
