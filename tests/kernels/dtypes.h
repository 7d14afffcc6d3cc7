#pragma once

#include <stretto/core/dtype.h>

namespace stretto {

/// What the kernels' tests go through.
inline constexpr DType all_types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                      DType::int32,   DType::int64,   DType::uint8,   DType::bool_};
inline constexpr DType floating_types[] = {DType::float32, DType::float64, DType::float16, DType::bfloat16};

}  // namespace stretto
