#include <memory>

#include <cuda_runtime_api.h>

#include "backends/body_executor.h"
#include "backends/in_order_subject.h"
#include "base/environment.h"
#include "cuda/cell_kernels.h"

namespace stretto {
namespace {

/// CUDA devices as the environment asks for them: bodies are kernels.
class CudaSubject : public InOrderSubject {
 public:
  CudaSubject() : backend_(backend_factory(DeviceKind::cuda)(executor_)) {}

  Backend& backend() override { return *backend_; }
  Body store(std::byte* cell, std::uint64_t value, std::chrono::microseconds time) override {
    return [=](KernelContext& context) { append_store(context.native_stream(), cell, value, 1000 * time.count()); };
  }
  Body fold(std::byte* destination, const std::byte* source) override {
    return [=](KernelContext& context) { append_fold(context.native_stream(), destination, source); };
  }
  bool reaches_cells(int device) override {
    const int own = backend_->foreign_queues()->number(device), first = backend_->foreign_queues()->number(0);
    if (own == first) return true;
    int possible = 0;
    return environment().peer_access && cudaDeviceCanAccessPeer(&possible, own, first) == cudaSuccess && possible != 0;
  }
  std::uint64_t load(const std::byte* cell) override { return read_cell(cell); }

 private:
  BodyExecutor executor_;
  std::unique_ptr<Backend> backend_;
};

std::unique_ptr<InOrderSubject> make_subject() {
  auto subject = std::make_unique<CudaSubject>();
  return subject->backend().device_count() == 0 ? nullptr : std::move(subject);
}

}  // namespace

std::vector<InOrderSubjectMaker> in_order_subjects() { return {{"cuda", &make_subject}}; }

}  // namespace stretto
