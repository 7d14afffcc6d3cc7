// Tasks of one's own on a GPU: a kernel, and a call of cuBLAS. Both only declare what they read and write; when they
// run beside what, Stretto finds out, as it does for its own operators.

#include <stretto/stretto.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <cublas_v2.h>

namespace st = stretto;

__global__ void saxpy_kernel(std::int64_t count, float a, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] += a * x[i];
}

/// y += a * x.
void saxpy(float a, const st::Tensor& x, const st::Tensor& y) {
  st::task("saxpy", y.device()).read(x).read_write(y).run([a, x, y](st::TaskContext& c) {
    const std::int64_t count = y.numel();
    const auto blocks = static_cast<unsigned>((count + 255) / 256);
    const auto stream = static_cast<cudaStream_t>(c.cuda_stream());
    saxpy_kernel<<<blocks, 256, 0, stream>>>(count, a, c.data<const float>(x), c.data<float>(y));
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
      throw std::runtime_error(cudaGetErrorString(error));
  });
}

/// The inner product of two vectors, as a tensor of one element.
st::Tensor dot(const st::Tensor& x, const st::Tensor& y) {
  const st::Tensor result = st::empty({}, x.device());
  st::task("dot", x.device()).read(x).read(y).write(result).run([x, y, result](st::TaskContext& c) {
    const auto handle = static_cast<cublasHandle_t>(c.cublas_handle());
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    const cublasStatus_t status = cublasSdot(handle, static_cast<int>(x.numel()), c.data<const float>(x), 1,
                                             c.data<const float>(y), 1, c.data<float>(result));
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
  });
  return result;
}

int main() {
  if (st::device_count(st::DeviceKind::cuda) == 0) {
    std::puts("no GPU here");
    return 77;  // what a test runner takes for "skipped"
  }
  constexpr std::int64_t count = 1 << 20;
  const st::Tensor x = st::full({count}, 2.0f, st::gpu(0));
  const st::Tensor y = st::ones({count}, st::gpu(0));
  saxpy(3, x, y);                       // 7 in each place
  const st::Tensor z = st::sum(y * y);  // operators and tasks mix: this waits for the one and lets the other go beside
  const st::Tensor product = dot(x, y);
  std::printf("x . y = %.0f, y . y = %.0f\n", product.item<float>(), z.item<float>());
  const bool right = product.item<float>() == 14.0f * count && z.item<float>() == 49.0f * count;
  return right ? 0 : 1;
}
