#include "backends/cuda/cuda_lane.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include <stretto/base/error.h>

#include "backends/cuda/cublas_handle.h"
#include "backends/cuda/driver_function.h"
#include "backends/cuda/peer_access.h"
#include "backends/cuda/profiler_range.h"
#include "base/log.h"
#include "base/thread.h"
#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr std::int64_t longest_distance = 1'000'000'000;
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

}  // namespace

/// The stream and what its kernels use. Made while its GPU is the current one.
class CudaLane::Context final : public CudaKernelContext {
 public:
  Context(int gpu, int multiprocessors)
      : CudaKernelContext(make_stream()), gpu_(gpu), multiprocessors_(multiprocessors) {}
  ~Context() override {
    staging_.reset();
    static_cast<void>(cudaStreamSynchronize(stream()));
    blas_.reset();
    for (std::byte* memory : outgrown_) static_cast<void>(cudaFree(memory));
    static_cast<void>(cudaFree(workspace_));
    static_cast<void>(cudaStreamDestroy(stream()));
  }

  /// Makes its GPU the calling thread's current one again: an earlier body may have changed that.
  void make_current() const {
    if (current_context() != own_context_) check_cuda(cudaSetDevice(gpu_), "cudaSetDevice");
  }
  int multiprocessors() const override { return multiprocessors_; }

  std::byte* workspace(std::size_t bytes) override {
    if (bytes > workspace_bytes_) {
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

  DeviceFault* fault(MakeFailure failure) override {
    if (fault_ != nullptr) throw Error("a task can report only one kind of fault");
    fault_ = &faults_.take(std::move(failure));
    return fault_->reported;
  }

  void copy_to_host(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (is_page_locked(to)) {
      check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
    } else {
      staging().to_host(to, from, bytes);
    }
  }

  void copy_from_host(std::byte* to, const std::byte* from, std::size_t bytes) override {
    if (is_page_locked(from)) {
      check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream()), "cudaMemcpyAsync");
    } else {
      staging().from_host(to, from, bytes);
    }
  }

  void* native_blas() override {
    if (blas_ == nullptr) blas_ = std::make_unique<CublasHandle>(stream());
    return blas_->get();
  }

  /// What the work since the last event may report into, or null.
  FaultSlot* take_fault() { return std::exchange(fault_, nullptr); }
  void give_back(FaultSlot& slot) { faults_.give_back(slot); }

 private:
  HostStaging& staging() {
    if (staging_ == nullptr) staging_ = std::make_unique<HostStaging>(gpu_, stream());
    return *staging_;
  }

  const int gpu_;
  const int multiprocessors_;
  const CUcontext own_context_ = current_context();
  std::byte* workspace_ = nullptr;
  std::size_t workspace_bytes_ = 0;
  std::vector<std::byte*> outgrown_;
  std::unique_ptr<HostStaging> staging_;
  std::unique_ptr<CublasHandle> blas_;
  FaultSlots faults_;
  FaultSlot* fault_ = nullptr;
};

CudaLane::CudaLane(LaneRole role, int gpu, int multiprocessors, std::vector<int> peers, GpuLoss& loss)
    : role_(role),
      gpu_(gpu),
      multiprocessors_(multiprocessors),
      peers_(std::move(peers)),
      loss_(loss),
      events_(gpu, loss, false),
      timed_events_(gpu, loss, true) {}

CudaLane::~CudaLane() {
  if (context_ != nullptr) static_cast<void>(cudaSetDevice(gpu_));
}

CudaLane::Context* CudaLane::prepare() {
  if (loss_.lost()) [[unlikely]]
    return nullptr;
  if (context_ == nullptr) [[unlikely]] {
    try {
      check_cuda(cudaSetDevice(gpu_), "cudaSetDevice");
      context_ = std::make_unique<Context>(gpu_, multiprocessors_);
      if (role_ == LaneRole::peer) reach_peers(gpu_, peers_);
    } catch (const std::exception& error) {
      loss_.lose(error.what());
      return nullptr;
    }
  }
  return context_.get();
}

void CudaLane::issue(Work& work, Executor& executor) {
  Context* const context = prepare();
  if (context == nullptr) [[unlikely]] {
    executor.drop(work);
    return;
  }
  try {
    context->make_current();
    const ProfilerRange range(executor.name(work));
    if (keeps_times_) [[unlikely]]
      begin_timing(context->stream());
    executor.execute(work, *context);
  } catch (const std::exception& error) {
    log(LogLevel::error, std::string("work on a stream failed: ") + error.what());
  } catch (...) {
    log(LogLevel::error, "work on a stream failed");
  }
}

void CudaLane::begin_timing(cudaStream_t stream) {
  // Times are measured in floats of milliseconds: not too far from where they are measured from.
  if (base_ == nullptr || nanoseconds_now() - base_->host_time() > longest_distance) base_ = GpuMoment::now();
  if (base_ == nullptr) return;
  if (behind_work_ == nullptr) behind_work_ = &timed_events_.take();
  behind_work_->begin_work(stream, base_);
}

Event* CudaLane::record() {
  Context* const context = prepare();
  CudaEvent* const timed = std::exchange(behind_work_, nullptr);
  CudaEvent& event = timed != nullptr ? *timed : events_.take();
  if (context != nullptr) {
    event.record(context->stream(), context->take_fault());
  } else {
    event.record(nullptr, nullptr);
  }
  return &event;
}

void CudaLane::wait(Event& event) {
  Context* const context = prepare();
  if (context == nullptr) return;
  const cudaError_t error = cudaStreamWaitEvent(context->stream(), static_cast<CudaEvent&>(event).handle(), 0);
  if (error != cudaSuccess) loss_.lose(error);
}

void CudaLane::release(Event* event) {
  auto& given_back = static_cast<CudaEvent&>(*event);
  if (FaultSlot* fault = given_back.fault()) context_->give_back(*fault);
  (given_back.timed() ? timed_events_ : events_).give_back(given_back);
}

}  // namespace stretto
