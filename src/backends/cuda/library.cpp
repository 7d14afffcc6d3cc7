// What the core sees of this library, and what the library has in place of the core's tables: it shares no symbol with
// the core, only these structs.

#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/profiler_range.h"
#include "backends/library/backend_library.h"

namespace stretto {
namespace {

LaneId (*core_lane_id)() = nullptr;

std::vector<LibraryKernel>& registered_kernels() {
  static std::vector<LibraryKernel> kernels;
  return kernels;
}

std::unique_ptr<Backend> open(const BackendHost& host) {
  core_lane_id = host.next_lane_id;
  return make_cuda_backend(host.environment);
}

std::span<const LibraryKernel> kernels() { return registered_kernels(); }

}  // namespace

LaneId next_lane_id() { return core_lane_id(); }

KernelRegistration::KernelRegistration(std::string_view name, DeviceKind /*always cuda here*/, Kernel kernel,
                                       KernelIsElementwise /*the core knows it of its own*/) {
  registered_kernels().push_back({name, kernel});
}

}  // namespace stretto

extern "C" __attribute__((visibility("default"))) const stretto::BackendLibrary* stretto_backend_library() {
  static constexpr stretto::BackendLibrary library{STRETTO_VERSION, &stretto::open, &stretto::kernels,
                                                   &stretto::ProfilerRange::push, &stretto::ProfilerRange::pop};
  return &library;
}
