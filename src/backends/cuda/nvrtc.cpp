#include "backends/cuda/nvrtc.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <type_traits>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <stretto/base/error.h>

#include "kernels/cuda/nvrtc_headers.h"

namespace stretto {
namespace {

constexpr int built_major = CUDART_VERSION / 1000, built_minor = CUDART_VERSION % 1000 / 10;

/// Of the same major version, which is all that has the functions as they were when this was compiled.
std::string library_name() { return "libnvrtc.so." + std::to_string(built_major); }

/// In the folder of the library of matrix products.
std::string beside_others() {
  Dl_info products{};
  if (dladdr(reinterpret_cast<const void*>(&cublasLtCreate), &products) == 0 || products.dli_fname == nullptr)
    return {};
  return (std::filesystem::path(products.dli_fname).parent_path() / library_name()).string();
}

std::string loader_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::unique_ptr<const Nvrtc> Nvrtc::load(std::string& problem) {
  void* library = dlopen(library_name().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    problem = loader_error();
    library = dlopen(beside_others().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
  }
  std::unique_ptr<Nvrtc> nvrtc(new Nvrtc);
  const bool is_whole =
      find(library, "nvrtcVersion", nvrtc->version_) && find(library, "nvrtcGetErrorString", nvrtc->error_string_) &&
      find(library, "nvrtcCreateProgram", nvrtc->create_) && find(library, "nvrtcDestroyProgram", nvrtc->destroy_) &&
      find(library, "nvrtcCompileProgram", nvrtc->compile_) &&
      find(library, "nvrtcGetProgramLogSize", nvrtc->log_size_) && find(library, "nvrtcGetProgramLog", nvrtc->log_) &&
      find(library, "nvrtcGetCUBINSize", nvrtc->code_size_) && find(library, "nvrtcGetCUBIN", nvrtc->code_);
  if (!is_whole || nvrtc->version_(&nvrtc->major_, &nvrtc->minor_) != NVRTC_SUCCESS) {
    problem = library_name() + " is not what its name says";
    return nullptr;
  }
  return nvrtc;
}

bool Nvrtc::is_of_this_version() const { return major_ == built_major && minor_ == built_minor; }

std::string Nvrtc::version() const { return std::to_string(major_) + "." + std::to_string(minor_); }

void Nvrtc::check(nvrtcResult result, const char* call) const {
  if (result != NVRTC_SUCCESS) throw Error(std::string(call) + " failed: " + error_string_(result));
}

std::vector<char> Nvrtc::compile(const std::string& text, int architecture) const {
  std::vector<const char*> names, texts;
  for (const NvrtcHeader& header : nvrtc_headers()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  nvrtcProgram program = nullptr;
  check(create_(&program, text.c_str(), "element_pass.cu", static_cast<int>(names.size()), texts.data(), names.data()),
        "nvrtcCreateProgram");
  const auto destroy = [this](nvrtcProgram made) { static_cast<void>(destroy_(&made)); };
  const std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, decltype(destroy)> owner(program, destroy);
  // As our own kernels are compiled: products and sums are rounded one by one.
  const std::string target = "--gpu-architecture=sm_" + std::to_string(architecture);
  const std::array options{target.c_str(), "--std=c++20", "--device-as-default-execution-space", "--fmad=false",
                           "--disable-warnings"};
  if (compile_(program, static_cast<int>(options.size()), options.data()) != NVRTC_SUCCESS) {
    std::size_t size = 0;
    check(log_size_(program, &size), "nvrtcGetProgramLogSize");
    std::string log(size, '\0');
    check(log_(program, log.data()), "nvrtcGetProgramLog");
    throw Error("nvrtcCompileProgram failed: " + std::string(log.c_str()));
  }
  std::size_t size = 0;
  check(code_size_(program, &size), "nvrtcGetCUBINSize");
  std::vector<char> code(size);
  check(code_(program, code.data()), "nvrtcGetCUBIN");
  return code;
}

}  // namespace stretto
