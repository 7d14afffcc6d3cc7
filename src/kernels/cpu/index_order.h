#pragma once

#include <cstddef>
#include <cstdint>

#include "base/function_ref.h"
#include "kernels/kernel.h"

namespace stretto {

/// Writes an array whose elements are functions of their index in logical (row-major) order, whatever its strides:
/// calls `generate(first, count, destination)` on several threads, to put elements first ... first + count - 1 one
/// behind the other. `grain` is about how many elements a chunk should have: a multiple of 512, and so is every
/// `first`.
void fill_in_index_order(const Array& output, KernelContext& context, std::int64_t grain,
                         FunctionRef<void(std::int64_t first, std::int64_t count, std::byte* destination)> generate);

}  // namespace stretto
