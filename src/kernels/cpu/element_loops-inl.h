// Per-target include guard, as Highway has it: this header is compiled once for every instruction set.
#if defined(STRETTO_KERNELS_CPU_ELEMENT_LOOPS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef STRETTO_KERNELS_CPU_ELEMENT_LOOPS_INL_H
#undef STRETTO_KERNELS_CPU_ELEMENT_LOOPS_INL_H
#else
#define STRETTO_KERNELS_CPU_ELEMENT_LOOPS_INL_H
#endif

#include <hwy/highway.h>
#include <algorithm>
#include <cstring>

#include "kernels/cpu/element_types.h"
#include "kernels/cpu/elementwise_loop.h"

// Inner loops from operators. An operator is a struct whose `apply` maps elements to an element, for the types it
// takes:
//
//     struct Add {
//       template <Real T>
//       static HWY_INLINE T apply(T a, T b) { return a + b; }
//     };
//
// The loops are plain: between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE the compiler turns them into vectors of the
// target's width. Since IEEE arithmetic without contraction is exact about every element, vector and tail agree.
HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

template <class Operator, class T, int inputs>
struct Application;
template <class Operator, class T>
struct Application<Operator, T, 1> {
  static constexpr bool defined = requires(T x) { Operator::apply(x); };
  static constexpr bool has_exceptions = std::same_as<T, float> && requires(T x) { Operator::is_exception(x); };
  static HWY_INLINE auto apply(const T* const* in, std::int64_t i) { return Operator::apply(in[0][i]); }
  static HWY_INLINE bool is_exception(const T* const* in, std::int64_t i) { return Operator::is_exception(in[0][i]); }
  static HWY_INLINE auto exception(const T* const* in, std::int64_t i) { return Operator::exception(in[0][i]); }
};
template <class Operator, class T>
struct Application<Operator, T, 2> {
  static constexpr bool defined = requires(T x) { Operator::apply(x, x); };
  static constexpr bool has_exceptions = std::same_as<T, float> && requires(T x) { Operator::is_exception(x, x); };
  static HWY_INLINE auto apply(const T* const* in, std::int64_t i) { return Operator::apply(in[0][i], in[1][i]); }
  static HWY_INLINE bool is_exception(const T* const* in, std::int64_t i) {
    return Operator::is_exception(in[0][i], in[1][i]);
  }
  static HWY_INLINE auto exception(const T* const* in, std::int64_t i) {
    return Operator::exception(in[0][i], in[1][i]);
  }
};
template <class Operator, class T>
struct Application<Operator, T, 3> {
  static constexpr bool defined = requires(T x) { Operator::apply(x, x, x); };
  static constexpr bool has_exceptions = false;
  static HWY_INLINE auto apply(const T* const* in, std::int64_t i) {
    return Operator::apply(in[0][i], in[1][i], in[2][i]);
  }
};

template <class Operator, class T, int inputs>
void element_loop(std::byte* output, const std::byte* const* input, std::int64_t count) {
  using Apply = Application<Operator, T, inputs>;
  const T* in[inputs];
  for (int k = 0; k < inputs; ++k) in[k] = reinterpret_cast<const T*>(input[k]);
  auto* out = reinterpret_cast<decltype(Apply::apply(in, 0))*>(output);
  // The output may be an input, element by element: no iteration depends on another.
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) out[i] = Apply::apply(in, i);
}

/// For operators whose vector form, which only float has, is wrong for a few arguments: those are found by
/// `is_exception` and computed one by one by `exception`.
template <class Operator, class T, int inputs>
void loop_with_exceptions(std::byte* output, const std::byte* const* input, std::int64_t count) {
  using Apply = Application<Operator, T, inputs>;
  constexpr std::int64_t block = 256;
  T results[block];
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t size = std::min(block, count - begin);
    const T* in[inputs];
    for (int k = 0; k < inputs; ++k) in[k] = reinterpret_cast<const T*>(input[k]) + begin;
    for (std::int64_t i = 0; i < size; ++i) results[i] = Apply::apply(in, i);
    std::int32_t exceptions = 0;
    for (std::int64_t i = 0; i < size; ++i) exceptions |= Apply::is_exception(in, i);
    for (std::int64_t i = 0; exceptions != 0 && i < size; ++i) {
      if (Apply::is_exception(in, i)) results[i] = Apply::exception(in, i);
    }
    std::memcpy(reinterpret_cast<T*>(output) + begin, results, static_cast<std::size_t>(size) * sizeof(T));
  }
}

template <Half T>
HWY_NOINLINE void widen(float* wide, const T* narrow, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) wide[i] = static_cast<float>(narrow[i]);
}

template <Half T>
HWY_NOINLINE void round_to(T* narrow, const float* wide, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) narrow[i] = T(wide[i]);
}

/// Widens 16-bit floats, runs the loop for float, and rounds its results once, unless they are bool.
template <class T, InnerLoop loop, int inputs, bool rounds>
void half_loop(std::byte* output, const std::byte* const* input, std::int64_t count) {
  constexpr std::int64_t block = 256;
  alignas(64) float widened[inputs][block];
  alignas(64) float results[block];
  const std::byte* pointers[inputs];
  for (int k = 0; k < inputs; ++k) pointers[k] = reinterpret_cast<const std::byte*>(widened[k]);
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t size = std::min(block, count - begin);
    for (int k = 0; k < inputs; ++k) {
      widen(widened[k], reinterpret_cast<const T*>(input[k]) + begin, size);
    }
    if constexpr (rounds) {
      loop(reinterpret_cast<std::byte*>(results), pointers, size);
      round_to(reinterpret_cast<T*>(output) + begin, results, size);
    } else {
      loop(output + begin, pointers, size);
    }
  }
}

template <class Operator, int inputs, class T>
constexpr InnerLoop loop_for() {
  using Computed = std::conditional_t<Half<T>, float, T>;
  using Apply = Application<Operator, Computed, inputs>;
  if constexpr (!Apply::defined) {
    return nullptr;
  } else {
    InnerLoop loop = nullptr;
    if constexpr (Half<T>) {
      constexpr InnerLoop in_float = loop_for<Operator, inputs, float>();
      constexpr bool rounds = std::same_as<decltype(Apply::apply(nullptr, 0)), float>;
      loop = &half_loop<T, in_float, inputs, rounds>;
    } else if constexpr (Apply::has_exceptions) {
      loop = &loop_with_exceptions<Operator, T, inputs>;
    } else {
      loop = &element_loop<Operator, T, inputs>;
    }
    return loop;
  }
}

/// The loops of an operator for every type it is defined for.
template <class Operator, int inputs>
constexpr LoopTable loops_of() {
  return {loop_for<Operator, inputs, float>(),        loop_for<Operator, inputs, double>(),
          loop_for<Operator, inputs, Float16>(),      loop_for<Operator, inputs, BFloat16>(),
          loop_for<Operator, inputs, std::int32_t>(), loop_for<Operator, inputs, std::int64_t>(),
          loop_for<Operator, inputs, std::uint8_t>(), loop_for<Operator, inputs, bool>()};
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#endif
