#include "kernels/cuda/position.cuh"

namespace stretto {
namespace {

const KernelRegistration registration{"argmin", DeviceKind::cuda, &position<false>};

}  // namespace
}  // namespace stretto
