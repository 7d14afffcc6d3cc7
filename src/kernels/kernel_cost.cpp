#include "kernels/kernel_cost.h"

#include <array>
#include <vector>

namespace stretto {
namespace {

double bytes_of(const Array& array) {
  if (array.constant) return 0;
  auto elements = static_cast<double>(item_size(array.dtype));
  for (int axis = 0; axis < array.rank; ++axis)
    if (array.strides[axis] != 0 || array.shape[axis] == 0) elements *= static_cast<double>(array.shape[axis]);
  return elements;
}

/// A multiplication and an addition for each term of each element.
double product_flops(const Array& result, const Array& left) {
  return 2 * static_cast<double>(result.numel()) * static_cast<double>(left.shape[left.rank - 1]);
}

double matmul_flops(const KernelCall& call) { return product_flops(call.outputs[0], call.inputs[0]); }
double addmm_flops(const KernelCall& call) { return product_flops(call.outputs[0], call.inputs[1]); }

[[maybe_unused]] const bool registered = [] {
  kernel_row("matmul").flops.store(&matmul_flops, std::memory_order_release);
  kernel_row("matmul_relu_backward").flops.store(&matmul_flops, std::memory_order_release);
  kernel_row("addmm").flops.store(&addmm_flops, std::memory_order_release);
  kernel_row("addmm_relu").flops.store(&addmm_flops, std::memory_order_release);
  return true;
}();

}  // namespace

KernelCost cost_of(const KernelRow& row, const KernelCall& call) {
  KernelCost cost;
  if (!call.outputs.empty()) cost.dtype = call.outputs[0].dtype;
  for (const Array& array : call.outputs) cost.bytes += bytes_of(array);
  for (const Array& array : call.inputs) cost.bytes += bytes_of(array);
  if (const KernelFlops flops = row.flops.load(std::memory_order_acquire)) cost.flops = flops(call);
  return cost;
}

bool begin_kernel(KernelMeter& meter, const KernelRow& row, const KernelCall& call) {
  std::array<const std::byte*, 16> addresses{};
  std::size_t count = 0;
  for (const std::span<const Array> arrays : {call.outputs, call.inputs})
    for (const Array& array : arrays)
      if (!array.constant && count < addresses.size() && array.numel() > 0) addresses[count++] = array.data;
  return meter.begin(cost_of(row, call), {addresses.data(), count});
}

bool begin_pass(KernelMeter& meter, const ElementPass& pass, std::byte* const* addresses) {
  std::vector<Array> outputs, inputs;
  pass.list_memory(addresses, outputs, inputs);
  return begin_kernel(meter, *pass.steps().back().kernel, {outputs, inputs, {}});
}

}  // namespace stretto
