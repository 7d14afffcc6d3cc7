#pragma once

#include "kernels/kernel.h"

namespace stretto {

/// What becomes of each element of a product, as the elementwise operators of these names have it.
enum class ProductEnding { none, relu, relu_backward };

/// Ends a product in its place: a pass over `output`. `gate` is the second operand of relu_backward, otherwise null.
void end_product(const Array& output, ProductEnding ending, const Array* gate, KernelContext& context);

}  // namespace stretto
