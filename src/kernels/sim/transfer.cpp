#include "kernels/kernel.h"
#include "kernels/sim/sim_context.h"

namespace stretto {
namespace {

/// "transfer": the bytes of one contiguous array into another of the same type and number of elements, at least one of
/// them on the lane's device.
void transfer(const KernelCall& call, KernelContext& context) {
  const Array& to = call.outputs[0];
  const Array& from = call.inputs[0];
  const auto bytes = static_cast<std::size_t>(from.numel()) * item_size(from.dtype);
  if (bytes > 0) sim_context(context).copy(to.data, from.data, bytes);
}

const KernelRegistration registration{"transfer", DeviceKind::sim, &transfer};

}  // namespace
}  // namespace stretto
