#include "backends/cuda/stream_context.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include <stretto/base/error.h>

#include "backends/cuda/driver_function.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr std::size_t smallest_workspace = std::size_t{1} << 20;

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return stream;
}

/// The calling thread's current context: asking takes a tenth of what cudaSetDevice does.
CUcontext current_context() {
  static const auto ask = driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
  CUcontext context = nullptr;
  check_driver(ask(&context), "cuCtxGetCurrent");
  return context;
}

bool is_page_locked(const std::byte* data) {
  cudaPointerAttributes attributes{};
  check_cuda(cudaPointerGetAttributes(&attributes, data), "cudaPointerGetAttributes");
  return attributes.type == cudaMemoryTypeHost;
}

/// While a stream is captured, the calling thread may not do what might wait for it, but for here: what is made is the
/// host's affair, and no work of the stream.
class AllowedWhileCaptured {
 public:
  AllowedWhileCaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedWhileCaptured() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedWhileCaptured(const AllowedWhileCaptured&) = delete;
  AllowedWhileCaptured& operator=(const AllowedWhileCaptured&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace

StreamContext::StreamContext(int gpu, int multiprocessors)
    : CudaKernelContext(make_stream()), gpu_(gpu), multiprocessors_(multiprocessors), own_context_(current_context()) {}

StreamContext::~StreamContext() {
  staging_.reset();
  static_cast<void>(cudaStreamSynchronize(stream()));
  blas_.reset();
  for (std::byte* memory : outgrown_) static_cast<void>(cudaFree(memory));
  static_cast<void>(cudaFree(workspace_));
  static_cast<void>(cudaStreamDestroy(stream()));
}

void StreamContext::make_current() const {
  if (current_context() != own_context_) check_cuda(cudaSetDevice(gpu_), "cudaSetDevice");
}

std::byte* StreamContext::workspace(std::size_t bytes) {
  was_used_ = true;
  if (bytes > workspace_bytes_) {
    const AllowedWhileCaptured allowed;
    const std::size_t size = std::bit_ceil(std::max(bytes, smallest_workspace));
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, size), "cudaMalloc of a stream's workspace");
    // Work in the stream may still use the old one; sizes double, so that all of them take as much as the last.
    if (workspace_ != nullptr) outgrown_.push_back(workspace_);
    workspace_ = static_cast<std::byte*>(memory);
    workspace_bytes_ = size;
  }
  return workspace_;
}

DeviceFault* StreamContext::fault(MakeFailure failure) {
  if (fault_ != nullptr) throw Error("a task can report only one kind of fault");
  const AllowedWhileCaptured allowed;
  // Said now: when the fault is found, the operator is gone.
  fault_ = &faults_.take([failure = std::move(failure), operands = describe_operands()](const DeviceFault& found) {
    try {
      std::rethrow_exception(failure(found));
    } catch (Error& error) {
      error.with_operands(operands);
      return std::current_exception();
    }
  });
  return fault_->reported;
}

void StreamContext::copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (is_page_locked(to)) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
  } else {
    staging().to_host(to, from, bytes);
  }
}

void StreamContext::copy_from_host(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (is_page_locked(from)) {
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
  } else {
    staging().from_host(to, from, bytes);
  }
}

void* StreamContext::native_blas() {
  was_used_ = true;
  if (blas_ == nullptr) {
    const AllowedWhileCaptured allowed;
    blas_ = std::make_unique<CublasHandle>(stream());
  }
  return blas_->get();
}

HostStaging& StreamContext::staging() {
  if (staging_ == nullptr) staging_ = std::make_unique<HostStaging>(gpu_, stream());
  return *staging_;
}

}  // namespace stretto
