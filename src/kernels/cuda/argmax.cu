#include "kernels/cuda/position.cuh"

namespace stretto {
namespace {

const KernelRegistration registration{"argmax", DeviceKind::cuda, &position<true>};

}  // namespace
}  // namespace stretto
