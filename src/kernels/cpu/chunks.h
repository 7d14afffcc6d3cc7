#pragma once

#include <algorithm>
#include <cstdint>

#include "base/function_ref.h"
#include "kernels/kernel.h"

namespace stretto {

constexpr std::int64_t divide_up(std::int64_t number, std::int64_t by) { return (number + by - 1) / by; }
constexpr std::int64_t round_up(std::int64_t number, std::int64_t unit) { return divide_up(number, unit) * unit; }

/// Runs `body(chunk)` for each chunk; a single one on this thread, without asking the context.
inline void run_chunks(KernelContext& context, std::int64_t chunks, FunctionRef<void(std::int64_t)> body) {
  if (chunks == 1) {
    body(0);
  } else if (chunks > 1) {
    context.parallel_for(chunks, body);
  }
}

/// Runs `body(begin, end)` over all of `count` things, about `grain` of them at a time.
inline void run_ranges(KernelContext& context, std::int64_t count, std::int64_t grain,
                       FunctionRef<void(std::int64_t, std::int64_t)> body) {
  run_chunks(context, divide_up(count, grain),
             [&](std::int64_t chunk) { body(chunk * grain, std::min(count, (chunk + 1) * grain)); });
}

}  // namespace stretto
