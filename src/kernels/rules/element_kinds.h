#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <stretto/core/dtype.h>

namespace stretto {

// Rules hold on every device: what the headers of this folder say is said once, for kernels of the CPU and of GPUs. All
// of it is constexpr, which is what code for GPUs may call.

template <class T>
concept Real = std::same_as<T, float> || std::same_as<T, double>;
template <class T>
concept Integer = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint8_t>;
template <class T>
concept Number = Real<T> || Integer<T>;
template <class T>
concept Boolean = std::same_as<T, bool>;
template <class T>
concept Half = std::same_as<T, Float16> || std::same_as<T, BFloat16>;

/// Integer arithmetic wraps round, which it does only without a sign.
template <Integer T>
using Unsigned = std::make_unsigned_t<T>;

}  // namespace stretto
