#include <cuda_runtime_api.h>

#include "kernels/cuda/check.h"
#include "kernels/cuda/cuda_context.h"
#include "kernels/kernel.h"

namespace stretto {
namespace {

bool is_on_device(const std::byte* data) {
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeDevice;
}

/// "transfer": the bytes of one contiguous array into another of the same type and number of elements, either of them
/// on a device.
void transfer(const KernelCall& call, KernelContext& context) {
  const Array& to = call.outputs[0];
  const Array& from = call.inputs[0];
  const auto bytes = static_cast<std::size_t>(from.numel()) * item_size(from.dtype);
  if (bytes == 0) return;
  CudaKernelContext& cuda = cuda_context(context);
  if (!is_on_device(from.data)) {
    cuda.copy_from_host(to.data, from.data, bytes);
  } else if (!is_on_device(to.data)) {
    cuda.copy_to_host(to.data, from.data, bytes);
  } else {
    check_cuda(cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDefault, cuda.stream()), "cudaMemcpyAsync");
  }
}

const KernelRegistration registration{"transfer", DeviceKind::cuda, &transfer};

}  // namespace
}  // namespace stretto
