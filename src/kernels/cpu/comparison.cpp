#include <array>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/targets.h"

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

auto comparison_operators() {
  return std::array{
      ElementwiseOperator{"eq", loops_of<Equal, 2>()},
      ElementwiseOperator{"ne", loops_of<NotEqual, 2>()},
      ElementwiseOperator{"lt", loops_of<Less, 2>()},
      ElementwiseOperator{"le", loops_of<LessEqual, 2>()},
      ElementwiseOperator{"gt", loops_of<Greater, 2>()},
      ElementwiseOperator{"ge", loops_of<GreaterEqual, 2>()},
      ElementwiseOperator{"logical_and", loops_of<LogicalAnd, 2>()},
      ElementwiseOperator{"logical_or", loops_of<LogicalOr, 2>()},
      ElementwiseOperator{"logical_xor", loops_of<LogicalXor, 2>()},
      ElementwiseOperator{"bitwise_and", loops_of<BitwiseAnd, 2>()},
      ElementwiseOperator{"bitwise_or", loops_of<BitwiseOr, 2>()},
      ElementwiseOperator{"bitwise_xor", loops_of<BitwiseXor, 2>()},
  };
}

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
