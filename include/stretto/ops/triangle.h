#pragma once

#include <cstdint>

#include <stretto/base/export.h>
#include <stretto/tensor/operand.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Triangles of the matrices in the last two axes of x, with zeros elsewhere, as a new contiguous tensor of x's shape
// and type. ShapeError below rank 2, UsageError when x is a number or an undefined tensor. Nothing blocks.

/// Elements up to the diagonal that lies `diagonal` to the right of the main one (negative: below it).
STRETTO_API Tensor tril(const Operand& x, std::int64_t diagonal = 0);
/// Elements from that diagonal on.
STRETTO_API Tensor triu(const Operand& x, std::int64_t diagonal = 0);

}  // namespace stretto
