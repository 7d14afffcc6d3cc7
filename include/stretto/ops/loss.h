#pragma once

#include <cstdint>

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

/// What becomes of the losses of a batch.
enum class Reduction : std::uint8_t {
  none,  ///< one loss a row
  mean,  ///< their mean, of rank 0
  sum,   ///< their sum, of rank 0
};

/// The cross-entropy of `logits` (N, C), floating, against `labels` (N), integers: -log_softmax(logits)[row, label] of
/// each row. Throws ShapeError, DTypeError, and DeviceError when the devices differ. A label outside [0, C) is an
/// IndexError when the value is read, which names the label, its row and C. The mean over no rows is NaN. Nothing
/// blocks.
STRETTO_API Tensor cross_entropy(const Operand& logits, const Operand& labels, Reduction reduction = Reduction::mean);

/// What reaches `logits` of the gradient `grad` of `cross_entropy(logits, labels, reduction)`: (N, C). `grad` has the
/// shape of that result (ShapeError).
STRETTO_API Tensor cross_entropy_backward(const Operand& grad, const Operand& logits, const Operand& labels,
                                          Reduction reduction = Reduction::mean);

}  // namespace stretto
