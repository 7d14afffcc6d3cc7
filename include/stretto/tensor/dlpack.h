#pragma once

#include <memory>
#include <source_location>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/tensor/tensor.h>

/// A tensor on its way between libraries, as DLPack 1 (its versioned interface) lays it out. Whoever wants to look
/// inside includes a DLPack header of his own; PyTorch, NumPy, JAX and CuPy take and give these.
struct DLManagedTensorVersioned;

namespace stretto {

/// Calls the deleter that the tensor came with.
struct STRETTO_API DlpackDeleter {
  void operator()(DLManagedTensorVersioned* tensor) const noexcept;
};

/// What another library may read, for as long as this lives. `release()` hands it over to a library that will end it.
using DlpackLease = std::unique_ptr<DLManagedTensorVersioned, DlpackDeleter>;

/// Lets another library read the memory of `x`, without a copy: marked as read-only, with the strides that x has.
///
/// Until the lease ends, statements that write into x wait, and with them whoever waits for those; x may be read as
/// before, and its memory stays even where no handle does. The lease may be ended by any thread, and holds nobody back
/// who does not write: `wait_all` does not wait for it.
///
/// On the CPU it returns when the values are there, and throws what failed to make them. On a GPU it returns when the
/// work that makes them is issued: `stream`, a cudaStream_t of that GPU (null: CUDA's default stream), waits for it,
/// and who writes into x later waits for what is in `stream` when the lease ends; so the stream must live as long. What
/// fails on the GPU itself only readers of x learn. CPU devices are all one device to other libraries.
///
/// Throws UsageError inside a task, and for devices that other libraries do not know.
STRETTO_API DlpackLease to_dlpack(const Tensor& x, void* stream = nullptr,
                                  CallSite site = std::source_location::current());

/// A tensor over memory of another library, which is used as it is, without a copy. Takes `tensor` over, unless it
/// throws: its deleter is called, by any thread, when the last task that uses the memory is done.
///
/// On a GPU our first use starts after what is in `stream` at the call; on the CPU the values must be there. Nobody
/// else may write the memory, nor read it while tasks that write it are pending. What is marked as read-only cannot be
/// written: UsageError. Memory that is page-locked for CUDA is a tensor of cpu:0.
///
/// Throws UsageError for another major version, DTypeError for elements that are no DType, DeviceError for devices that
/// this process does not use, ShapeError for more than `max_rank` axes, UsageError for elements that are not aligned.
STRETTO_API Tensor from_dlpack(DLManagedTensorVersioned* tensor, void* stream = nullptr,
                               CallSite site = std::source_location::current());

}  // namespace stretto
