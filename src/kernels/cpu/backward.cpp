#include <array>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/targets.h"
#include "kernels/rules/elementwise_operators.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/backward.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

/// Where x is a NaN the gradient passes, as relu passes the NaN.
struct ReluBackward {
  template <Real T>
  static HWY_INLINE T apply(T gradient, T x) {
    return x <= 0 ? T{0} : gradient;
  }
};

struct SigmoidBackward {
  template <Real T>
  static HWY_INLINE T apply(T gradient, T y) {
    return gradient * ((1 - y) * y);
  }
};

struct TanhBackward {
  template <Real T>
  static HWY_INLINE T apply(T gradient, T y) {
    return gradient * (1 - y * y);
  }
};

#define STRETTO_CPU_ROW(name, Op) ElementwiseOperator{name, loops_of<Op, 2>()},
auto backward_operators() { return std::array{STRETTO_BACKWARD_OPERATORS(STRETTO_CPU_ROW)}; }
#undef STRETTO_CPU_ROW

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(backward_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(backward_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
