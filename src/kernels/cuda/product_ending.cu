#include "kernels/cuda/product_ending.h"

#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/relu.cuh"

namespace stretto {

void end_product(const Array& output, ProductEnding ending, const Array* gate, KernelContext& context) {
  const Parameters none{};
  switch (ending) {
    case ProductEnding::none: return;
    case ProductEnding::relu: return elementwise<Relu, 1>({{&output, 1}, {&output, 1}, none}, context);
    case ProductEnding::relu_backward: {
      const Array inputs[] = {output, *gate};
      return elementwise<ReluBackward, 2>({{&output, 1}, inputs, none}, context);
    }
  }
}

}  // namespace stretto
