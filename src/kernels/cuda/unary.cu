#include "kernels/cuda/elementwise.cuh"
#include "kernels/cuda/unary_operators.cuh"
#include "kernels/rules/elementwise_operators.h"

namespace stretto {
namespace {

#define STRETTO_CUDA_ROW(name, Op) {name, DeviceKind::cuda, &elementwise<Op, 1>},
const KernelRegistration registrations[] = {STRETTO_UNARY_OPERATORS(STRETTO_CUDA_ROW)};
#undef STRETTO_CUDA_ROW

}  // namespace
}  // namespace stretto
