#pragma once

#include "kernels/cuda/product_ending.h"
#include "kernels/kernel.h"

namespace stretto {

/// Whether `small_product` is for this product: of float32, and so small that what a call of the library costs is most
/// of its time. A function of shapes and dtype.
bool is_small_product(const Array& output, const Array& left);

struct SmallProduct {
  const Array& output;
  const Array& left;
  const Array& right;
  const Array* addend = nullptr;  ///< Null where there is none.
  float alpha = 1;
  float beta = 0;
  ProductEnding ending = ProductEnding::none;
  const Array* gate = nullptr;  ///< Of relu_backward.
};

/// output = alpha * left @ right + beta * addend, and then what the ending makes of it, of any strides. Each element is
/// one sum in order of depth, by fused additions, as the library's are.
void small_product(const SmallProduct& product, KernelContext& context);

}  // namespace stretto
