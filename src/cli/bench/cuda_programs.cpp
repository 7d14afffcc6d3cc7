#include "cli/bench/cuda_programs.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include <stretto/base/error.h>

#include "cli/child_process.h"

namespace stretto::cli {
namespace {

constexpr const char* file_name = "libstretto_bench_cuda.so";

const CudaPrograms& load() {
  const std::string beside = (std::filesystem::path(own_program()).parent_path() / "lib" / file_name).string();
  void* library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(std::string("bench needs ") + file_name + " for GPUs: " + dlerror());
  const auto function = reinterpret_cast<CudaProgramsFunction>(dlsym(library, cuda_programs_symbol));
  if (function == nullptr) throw Error(std::string(file_name) + " is of another version");
  return *function();
}

}  // namespace

const CudaPrograms& cuda_programs() {
  static const CudaPrograms& programs = load();
  return programs;
}

void check_cuda_program(const char* problem) {
  if (problem != nullptr) throw Error(std::string("bare CUDA failed: ") + problem);
}

}  // namespace stretto::cli
