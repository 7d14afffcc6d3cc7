#include "kernels/cuda/extreme.cuh"

namespace stretto {
namespace {

const KernelRegistration registration{"min", DeviceKind::cuda, &extreme<false>};

}  // namespace
}  // namespace stretto
