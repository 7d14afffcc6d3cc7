#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <stretto/core/dtype.h>

#include "base/function_ref.h"

namespace stretto {

/// What a kernel asks of its device.
struct KernelCost {
  double flops = 0;  ///< Arithmetic in `dtype`, where an operator is bound by it; 0 where memory is all that counts.
  double bytes = 0;  ///< Read and written, each element once.
  DType dtype = DType::float32;
};

/// Told of every kernel before it runs: by devices whose durations are those of a model.
class KernelMeter {
 public:
  virtual ~KernelMeter() = default;
  /// `arrays`: the addresses of the kernel's arrays, but for constants and empty ones. False: the kernel must not run,
  /// because only its duration is wanted. Throws where an address is none of the device's.
  virtual bool begin(const KernelCost& cost, std::span<const std::byte* const> arrays) = 0;
};

/// Where a kernel runs.
class KernelContext {
 public:
  KernelContext() = default;
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;
  virtual ~KernelContext() = default;

  /// Calls `body(0) ... body(chunks - 1)`, in any order and on any worker of the device, and returns when all are done;
  /// the first exception is rethrown here. `chunks` must be a function of shapes, dtypes and layouts alone, never of
  /// the number of workers: that is what keeps results equal on every machine set-up. CPU and sim kernels only.
  virtual void parallel_for(std::int64_t chunks, FunctionRef<void(std::int64_t)> body) = 0;

  /// The lane's native queue (a cudaStream_t), null where kernels run on the calling thread.
  virtual void* native_stream() const { return nullptr; }
  /// The lane's handle of the vendor's library of linear algebra (a cublasHandle_t), made at first use and bound to the
  /// native queue; null where there is none. Throws DeviceError where the library does not load.
  virtual void* native_blas() { return nullptr; }

  /// Whom to tell of a kernel before it is called; null, nearly always, where nobody asks.
  KernelMeter* meter() const { return meter_; }

  /// Says what the operands of an operator are, while this lives: for errors that are found when its kernel has ended.
  class Operands {
   public:
    Operands(KernelContext& context, const FunctionRef<std::string()>& describe)
        : context_(context), outer_(std::exchange(context.operands_, &describe)) {}
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;
    ~Operands() { context_.operands_ = outer_; }

   private:
    KernelContext& context_;
    const FunctionRef<std::string()>* outer_;
  };

 protected:
  explicit KernelContext(KernelMeter* meter) : meter_(meter) {}
  /// As in "(2,3) float32, a number"; empty where nobody says.
  std::string describe_operands() const { return operands_ == nullptr ? std::string() : (*operands_)(); }

 private:
  KernelMeter* meter_ = nullptr;
  const FunctionRef<std::string()>* operands_ = nullptr;
};

}  // namespace stretto
