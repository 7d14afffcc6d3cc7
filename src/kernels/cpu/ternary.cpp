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
    x = x < low ? low : x;
    x = x > high ? high : x;
    x = low != low ? low : x;
    return high != high ? high : x;
  }
};

// Of the values only the size matters. They are chosen by masks: of a choice between two loads, GCC makes branches.
template <class Bits>
void where_loop(std::byte* output, const std::byte* const* inputs, std::int64_t count) {
  using Item [[gnu::may_alias]] = Bits;
  const std::uint8_t* condition = reinterpret_cast<const std::uint8_t*>(inputs[0]);  // 0 or 1
  const Item* a = reinterpret_cast<const Item*>(inputs[1]);
  const Item* b = reinterpret_cast<const Item*>(inputs[2]);
  Item* out = reinterpret_cast<Item*>(output);
  STRETTO_INDEPENDENT_ITERATIONS
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits mask = static_cast<Bits>(Bits{0} - static_cast<Bits>(condition[i]));
    out[i] = static_cast<Bits>((a[i] & mask) | (b[i] & ~mask));
  }
}

auto ternary_operators() {
  constexpr InnerLoop one = &where_loop<std::uint8_t>;
  constexpr InnerLoop two = &where_loop<std::uint16_t>;
  constexpr InnerLoop four = &where_loop<std::uint32_t>;
  constexpr InnerLoop eight = &where_loop<std::uint64_t>;
  return std::array{
      ElementwiseOperator{"clamp", loops_of<Clamp, 3>()},
      ElementwiseOperator{"where", {four, eight, two, two, four, eight, one, one}},  // in the order of DType
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
