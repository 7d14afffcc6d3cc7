#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <stretto/core/dtype.h>

#include "kernels/kernel.h"

namespace stretto {

/// The innermost loop of an elementwise kernel: `count` elements, every operand's one behind the other. An element's
/// result is a function of its inputs alone, so it does not matter how a kernel's elements are dealt out to calls. The
/// output may be the very same memory as an input.
using InnerLoop = void (*)(std::byte* output, const std::byte* const* inputs, std::int64_t count);

/// The inner loop for each DType; null where the operator does not take it.
using LoopTable = std::array<InnerLoop, 8>;

/// About how many elements a chunk has: some tens of microseconds of work.
inline constexpr std::int64_t cheap_grain = 32768;
inline constexpr std::int64_t costly_grain = 8192;  // exponentials, divisions of integers, random numbers

/// Throws DTypeError unless the table has a loop for `dtype`, which it returns.
InnerLoop find_loop(const LoopTable& table, DType dtype);

/// Runs an inner loop over a call with one output and 1 to 3 inputs of its shape, in chunks of about `grain` elements.
/// Contiguous operands are read and written where they are; others pass through small buffers, so that the inner loop,
/// and with it every result, is the same for all layouts.
void run_elementwise(const KernelCall& call, KernelContext& context, InnerLoop loop, std::int64_t grain);

/// Copies inputs[0], of any strides, to outputs[0] of the same item size.
void run_copy(const KernelCall& call, KernelContext& context);

}  // namespace stretto
