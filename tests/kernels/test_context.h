#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/kernel.h"

namespace stretto {

/// Runs chunks on the calling thread, the last one first.
class ReverseContext : public KernelContext {
 public:
  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    ++calls_;
    chunks_ += chunks;
    for (std::int64_t chunk = chunks; chunk-- > 0;) body(chunk);
  }
  /// Calls of parallel_for, and the chunks of all of them.
  std::int64_t calls() const { return calls_; }
  std::int64_t chunks() const { return chunks_; }

 private:
  std::int64_t calls_ = 0;
  std::int64_t chunks_ = 0;
};

/// Runs chunks on threads of their own, which take the next one as they come.
class ThreadsContext : public KernelContext {
 public:
  explicit ThreadsContext(int threads = 4) : threads_(threads) {}

  void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) override {
    std::atomic<std::int64_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    const auto work = [&] {
      try {
        for (std::int64_t chunk = next++; chunk < chunks; chunk = next++) body(chunk);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    };
    std::vector<std::thread> workers;
    for (int i = 0; i < threads_; ++i) workers.emplace_back(work);
    for (std::thread& worker : workers) worker.join();
    if (failure) std::rethrow_exception(failure);
  }

 private:
  int threads_;
};

/// Runs the CPU kernel of this name.
inline void run_kernel(std::string_view name, const std::vector<Array>& outputs, const std::vector<Array>& inputs,
                       KernelContext& context, const Parameters& parameters = {}) {
  kernel_row(name).find(DeviceKind::cpu)({outputs, inputs, parameters}, context);
}

}  // namespace stretto
