#include <array>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/ternary.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

/// A NaN stays one, in x and in the bounds; where low > high the result is high.
struct Clamp {
  template <Number T>
  static HWY_INLINE T apply(T x, T low, T high) {
    const T raised = (x > low) | (x != x) ? x : low;
    return (raised < high) | (raised != raised) ? raised : high;
  }
};

/// The condition is bool, the rest `T`: only its size matters.
template <class T>
void where_loop(std::byte* output, const std::byte* const* inputs, std::int64_t count) {
  const bool* condition = reinterpret_cast<const bool*>(inputs[0]);
  const T* a = reinterpret_cast<const T*>(inputs[1]);
  const T* b = reinterpret_cast<const T*>(inputs[2]);
  T* out = reinterpret_cast<T*>(output);
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) out[i] = condition[i] ? a[i] : b[i];
}

auto ternary_operators() {
  using HalfBits [[gnu::may_alias]] = std::uint16_t;
  return std::array{
      ElementwiseOperator{"clamp", loops_of<Clamp, 3>()},
      ElementwiseOperator{
          "where",
          {&where_loop<float>, &where_loop<double>, &where_loop<HalfBits>, &where_loop<HalfBits>,
           &where_loop<std::int32_t>, &where_loop<std::int64_t>, &where_loop<std::uint8_t>, &where_loop<bool>}},
  };
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(ternary_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(ternary_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
