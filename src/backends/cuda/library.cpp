// What the core sees of this library, and what the library has in place of the core's tables: it shares no symbol with
// the core, only these structs.

#include <vector>

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/pass_programs.h"
#include "backends/cuda/profiler_range.h"
#include "backends/library/backend_library.h"

namespace stretto {
namespace {

LaneId (*core_lane_id)() = nullptr;
/// Of each device: the same in all backends of a process, as they are made of its environment.
std::vector<int>& architectures() {
  static std::vector<int> of_devices;
  return of_devices;
}

/// Where a schedule decides what comes when, it must not be a compiler.
bool compiles_at_once = false;

std::vector<LibraryKernel>& registered_kernels() {
  static std::vector<LibraryKernel> kernels;
  return kernels;
}

std::unique_ptr<Backend> open(const BackendHost& host) {
  core_lane_id = host.next_lane_id;
  compiles_at_once = host.environment.schedule_seed || host.environment.deterministic_seed;
  std::unique_ptr<Backend> backend = make_cuda_backend(host.environment);
  if (architectures().empty())
    for (int device = 0; device < backend->device_count(); ++device)
      architectures().push_back(static_cast<const CudaBackend&>(*backend).architecture(device));
  return backend;
}

std::unique_ptr<const ElementPassProgram> make_pass(const ElementPass& pass, int device) {
  return PassPrograms::get().make(pass, architectures().at(static_cast<std::size_t>(device)), compiles_at_once);
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
  static constexpr stretto::BackendLibrary library{STRETTO_VERSION,
                                                   &stretto::open,
                                                   &stretto::kernels,
                                                   &stretto::make_pass,
                                                   &stretto::ProfilerRange::push,
                                                   &stretto::ProfilerRange::pop};
  return &library;
}
