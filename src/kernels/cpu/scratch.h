#pragma once

#include <cstddef>

namespace stretto {

/// Memory that a kernel needs while it runs: uninitialised, aligned to a cache line. Released blocks are kept for the
/// next kernels, 64 MiB of them at most, so that repeated calls find pages that are already mapped. Thread-safe.
class Scratch {
 public:
  /// Throws OutOfMemoryError.
  explicit Scratch(std::size_t bytes);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::byte* data() const { return data_; }
  template <typename T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

  struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
  };

 private:
  alignas(64) std::byte small_[128];
  Block block_;
  std::byte* data_ = small_;
};

}  // namespace stretto
