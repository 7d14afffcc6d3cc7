#pragma once

#include "kernels/kernel.h"

namespace stretto {

/// outputs = alpha * left @ right + beta * addend, element by element and in order of depth: of any type and layout,
/// for what the library does not do. `addend` is null where there is none.
void plain_product(const Array& output, const Array& left, const Array& right, const Array* addend, double alpha,
                   double beta, KernelContext& context);

}  // namespace stretto
