#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nvrtc.h>

namespace stretto {

/// NVIDIA's compiler as a library, which is not linked: it may be absent, and is large.
class Nvrtc {
 public:
  /// Looks for it where the dynamic linker does, and beside the library of matrix products, with which it comes. Null
  /// where there is none; `problem` says why.
  static std::unique_ptr<const Nvrtc> load(std::string& problem);

  /// Whether it is of the version of CUDA that this was built with, so that functions have the same bits.
  bool is_of_this_version() const;
  /// "13.0".
  std::string version() const;
  /// Machine code of a source for GPUs of this compute capability, 90 for 9.0. It may include `nvrtc_headers()`. Takes
  /// some tenths of a second. Throws Error with what the compiler says.
  std::vector<char> compile(const std::string& text, int architecture) const;

 private:
  Nvrtc() = default;

  void check(nvrtcResult result, const char* call) const;

  int major_ = 0;
  int minor_ = 0;
  decltype(&nvrtcVersion) version_ = nullptr;
  decltype(&nvrtcGetErrorString) error_string_ = nullptr;
  decltype(&nvrtcCreateProgram) create_ = nullptr;
  decltype(&nvrtcDestroyProgram) destroy_ = nullptr;
  decltype(&nvrtcCompileProgram) compile_ = nullptr;
  decltype(&nvrtcGetProgramLogSize) log_size_ = nullptr;
  decltype(&nvrtcGetProgramLog) log_ = nullptr;
  decltype(&nvrtcGetCUBINSize) code_size_ = nullptr;
  decltype(&nvrtcGetCUBIN) code_ = nullptr;
};

}  // namespace stretto
