#pragma once

#include "kernels/kernel.h"

namespace stretto {

/// Whether `small_product` is for this product: of float32, and so small that what a call of the library costs is most
/// of its time. A function of shapes and dtype.
bool is_small_product(const Array& output, const Array& left);

/// output = alpha * left @ right + beta * addend, of any strides; `addend` is null where there is none. Each element is
/// one sum in order of depth, by fused additions, as the library's are.
void small_product(const Array& output, const Array& left, const Array& right, const Array* addend, float alpha,
                   float beta, KernelContext& context);

}  // namespace stretto
