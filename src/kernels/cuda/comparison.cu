#include "kernels/cuda/comparison_operators.cuh"
#include "kernels/cuda/elementwise.cuh"
#include "kernels/rules/elementwise_operators.h"

namespace stretto {
namespace {

#define STRETTO_CUDA_ROW(name, Op) {name, DeviceKind::cuda, &elementwise<Op, 2>},
const KernelRegistration registrations[] = {STRETTO_COMPARISON_OPERATORS(STRETTO_CUDA_ROW)};
#undef STRETTO_CUDA_ROW

}  // namespace
}  // namespace stretto
