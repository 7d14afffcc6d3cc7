#include "backends/library/backend_library.h"

#include <dlfcn.h>

#include <filesystem>
#include <utility>

#include <stretto/base/error.h>

#include "trace/section_path.h"

namespace stretto {
namespace {

/// A kind of device that this process has none of.
class AbsentBackend final : public Backend {
 public:
  AbsentBackend(DeviceKind kind, std::string reason) : kind_(kind), reason_(std::move(reason)) {}

  DeviceKind kind() const override { return kind_; }
  int device_count() const override { return 0; }
  std::string absence() const override { return reason_; }
  DeviceDescription describe(int device) const override { throw_absent(device); }
  MemorySource& memory(int device) override { throw_absent(device); }

 private:
  [[noreturn]] void throw_absent(int device) const {
    throw DeviceError("there is no device " + to_string(Device(kind_, device)) + ": " + reason_);
  }

  DeviceKind kind_;
  std::string reason_;
};

/// The file beside the one that this code is in, or the name alone, for the dynamic linker to look up.
std::string path_of(const std::string& file_name) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&path_of), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code ignored;
    const std::filesystem::path beside = std::filesystem::path(here.dli_fname).parent_path() / file_name;
    if (std::filesystem::exists(beside, ignored)) return beside.string();
  }
  return file_name;
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

std::unique_ptr<Backend> make_cuda_backend(Executor& executor) {
  return load_backend_library("libstretto_cuda.so", STRETTO_VERSION, DeviceKind::cuda,
                              {environment(), executor, &next_lane_id});
}

const BackendRegistration registration(DeviceKind::cuda, &make_cuda_backend);

}  // namespace

std::unique_ptr<Backend> load_backend_library(const std::string& file_name, std::string_view version, DeviceKind kind,
                                              const BackendHost& host) {
  const auto absent = [&](std::string reason) { return std::make_unique<AbsentBackend>(kind, std::move(reason)); };
  void* const library = dlopen(path_of(file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return absent("no usable " + file_name + ": " + last_loader_error());
  const auto function = reinterpret_cast<BackendLibraryFunction>(dlsym(library, backend_library_symbol));
  if (function == nullptr) return absent(file_name + " is no library of Stretto: " + last_loader_error());
  const BackendLibrary& contents = *function();
  if (contents.version != version) {
    return absent(file_name + " is of version " + contents.version + ", this is version " + std::string(version));
  }
  std::unique_ptr<Backend> backend = contents.open(host);
  for (const LibraryKernel& entry : contents.kernels()) {
    kernel_row(entry.name).kernels[static_cast<std::size_t>(kind)].store(entry.kernel, std::memory_order_release);
  }
  const ElementPassRegistration passes(kind, contents.make_pass);
  if (backend->device_count() > 0) trace::set_section_ranges({contents.push_range, contents.pop_range});
  return backend;
}

}  // namespace stretto
