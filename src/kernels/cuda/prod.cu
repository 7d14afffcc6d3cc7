#include "kernels/cuda/reduction.cuh"

namespace stretto {
namespace {

const KernelRegistration registration{"prod", DeviceKind::cuda, &total<ProductFold>};

}  // namespace
}  // namespace stretto
