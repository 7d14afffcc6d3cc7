#include "backends/cuda/cublas_handle.h"

#include <dlfcn.h>

#include <string>

#include <stretto/base/error.h>

namespace stretto {
namespace {

constexpr const char* library_name = "libcublas.so.13";

using Create = int (*)(void** handle);
using Destroy = int (*)(void* handle);
using SetStream = int (*)(void* handle, cudaStream_t stream);

/// What is called of the library; it stays loaded.
struct Cublas {
  Create create = nullptr;
  Destroy destroy = nullptr;
  SetStream set_stream = nullptr;
  std::string problem;

  Cublas() {
    void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      create = reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"));
      destroy = reinterpret_cast<Destroy>(dlsym(library, "cublasDestroy_v2"));
      set_stream = reinterpret_cast<SetStream>(dlsym(library, "cublasSetStream_v2"));
    }
    if (create != nullptr && destroy != nullptr && set_stream != nullptr) return;
    const char* const text = dlerror();
    problem = std::string("no usable ") + library_name + ": " + (text == nullptr ? "a function is missing" : text);
  }
};

const Cublas& cublas() {
  static const Cublas library;
  return library;
}

void check(int status, const char* call) {
  if (status != 0) throw DeviceError(std::string(call) + " failed with status " + std::to_string(status));
}

}  // namespace

CublasHandle::CublasHandle(cudaStream_t stream) {
  if (!cublas().problem.empty()) throw DeviceError(cublas().problem);
  check(cublas().create(&handle_), "cublasCreate");
  const int status = cublas().set_stream(handle_, stream);
  if (status != 0) cublas().destroy(handle_);
  check(status, "cublasSetStream");
}

CublasHandle::~CublasHandle() { cublas().destroy(handle_); }

}  // namespace stretto
