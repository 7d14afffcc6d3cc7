#include "kernels/cuda/extreme.cuh"

namespace stretto {
namespace {

const KernelRegistration registration{"max", DeviceKind::cuda, &extreme<true>};

}  // namespace
}  // namespace stretto
