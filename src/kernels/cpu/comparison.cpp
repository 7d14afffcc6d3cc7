#include <array>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/targets.h"
#include "kernels/rules/elementwise_operators.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/comparison.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

// Equal compares NaN as unequal to everything, itself included; so do the ordered comparisons.
struct Equal {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a != b;
  }
};
struct Less {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return a >= b;
  }
};

// A number is true unless it is zero; a NaN is true.
struct LogicalAnd {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return (a != T{0}) & (b != T{0});
  }
};
struct LogicalOr {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return (a != T{0}) | (b != T{0});
  }
};
struct LogicalXor {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T a, T b) {
    return (a != T{0}) != (b != T{0});
  }
};

struct BitwiseAnd {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE T apply(T a, T b) {
    return a & b;
  }
};
struct BitwiseOr {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE T apply(T a, T b) {
    return a | b;
  }
};
struct BitwiseXor {
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE T apply(T a, T b) {
    return a ^ b;
  }
};

#define STRETTO_CPU_ROW(name, Op) ElementwiseOperator{name, loops_of<Op, 2>()},
auto comparison_operators() { return std::array{STRETTO_COMPARISON_OPERATORS(STRETTO_CPU_ROW)}; }
#undef STRETTO_CPU_ROW

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(comparison_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(comparison_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
