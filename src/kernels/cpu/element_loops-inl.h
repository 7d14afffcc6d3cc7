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
#include "kernels/cpu/targets.h"

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

/// An operator of 1 to 3 inputs as a function of three, which ignores those that it does not have.
template <class Operator, class T, int inputs>
struct Application {
  static constexpr bool defined = (inputs == 1 && requires(T x) { Operator::apply(x); }) ||
                                  (inputs == 2 && requires(T x) { Operator::apply(x, x); }) ||
                                  (inputs == 3 && requires(T x) { Operator::apply(x, x, x); });

  static HWY_INLINE auto apply(T a, T b, T c) {
    if constexpr (inputs == 1) {
      return Operator::apply(a);
    } else if constexpr (inputs == 2) {
      return Operator::apply(a, b);
    } else {
      return Operator::apply(a, b, c);
    }
  }
};

template <class Operator, class T, int inputs>
void element_loop(std::byte* output, const std::byte* const* input, std::int64_t count) {
  using Apply = Application<Operator, T, inputs>;
  const T* a = reinterpret_cast<const T*>(input[0]);
  const T* b = reinterpret_cast<const T*>(input[inputs > 1 ? 1 : 0]);
  const T* c = reinterpret_cast<const T*>(input[inputs > 2 ? 2 : 0]);
  auto* out = reinterpret_cast<decltype(Apply::apply(*a, *b, *c))*>(output);
  STRETTO_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i) out[i] = Apply::apply(a[i], b[i], c[i]);
}

/// Float operators of 1 or 2 inputs whose vector form is wrong for some arguments have two functions more:
/// `is_exception`, which finds those, and `exception`, which is right for them.
template <class Operator, int inputs>
struct Exceptions {
  static constexpr bool defined = (inputs == 1 && requires(float x) { Operator::is_exception(x); }) ||
                                  (inputs == 2 && requires(float x) { Operator::is_exception(x, x); });

  static HWY_INLINE bool test(float a, float b) {
    if constexpr (inputs == 1) {
      return Operator::is_exception(a);
    } else {
      return Operator::is_exception(a, b);
    }
  }
  static float apply(float a, float b) {
    if constexpr (inputs == 1) {
      return Operator::exception(a);
    } else {
      return Operator::exception(a, b);
    }
  }
};

template <class Operator, int inputs>
void loop_with_exceptions(std::byte* output, const std::byte* const* input, std::int64_t count) {
  using Exception = Exceptions<Operator, inputs>;
  constexpr std::int64_t block = 256;
  float results[block];
  for (std::int64_t begin = 0; begin < count; begin += block) {
    const std::int64_t size = std::min(block, count - begin);
    const float* a = reinterpret_cast<const float*>(input[0]) + begin;
    const float* b = reinterpret_cast<const float*>(input[inputs > 1 ? 1 : 0]) + begin;
    for (std::int64_t i = 0; i < size; ++i) results[i] = Application<Operator, float, inputs>::apply(a[i], b[i], b[i]);
    std::int32_t exceptions = 0;
    for (std::int64_t i = 0; i < size; ++i) exceptions |= Exception::test(a[i], b[i]);
    for (std::int64_t i = 0; exceptions != 0 && i < size; ++i) {
      if (Exception::test(a[i], b[i])) results[i] = Exception::apply(a[i], b[i]);
    }
    std::memcpy(reinterpret_cast<float*>(output) + begin, results, static_cast<std::size_t>(size) * sizeof(float));
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
      constexpr bool rounds = std::same_as<decltype(Apply::apply(0, 0, 0)), float>;
      loop = &half_loop<T, in_float, inputs, rounds>;
    } else if constexpr (std::same_as<T, float> && Exceptions<Operator, inputs>::defined) {
      loop = &loop_with_exceptions<Operator, inputs>;
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
