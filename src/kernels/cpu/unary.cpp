#include <array>
#include <cmath>
#include <limits>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/targets.h"
#include "kernels/rules/elementwise_operators.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/unary.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

struct Neg {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return -x;
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return rules::negative(x);
  }
};

struct Abs {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::fabs(x);
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return x < 0 ? Neg::apply(x) : x;
  }
};

/// A NaN stays one.
struct Sign {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x == 0 ? T{0} : x;
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return static_cast<T>((x > 0) - (x < 0));
  }
};

struct Square {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return x * x;
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return rules::product(x, x);
  }
};

struct Reciprocal {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return 1 / x;
  }
};

struct Sqrt {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::sqrt(x);
  }
};

struct Rsqrt {
  // In double, so that there is one rounding to float.
  static HWY_INLINE float apply(float x) { return static_cast<float>(1 / std::sqrt(static_cast<double>(x))); }
  static HWY_INLINE double apply(double x) { return 1 / std::sqrt(x); }
};

/// A NaN stays one.
struct Relu {
  template <Number T>
  static HWY_INLINE T apply(T x) {
    return x <= 0 ? T{0} : x;
  }
};

struct Floor {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::floor(x);
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return x;
  }
};

struct Ceil {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::ceil(x);
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return x;
  }
};

struct Trunc {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::trunc(x);
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return x;
  }
};

/// Halves to the even neighbour.
struct Round {
  template <Real T>
  static HWY_INLINE T apply(T x) {
    return std::nearbyint(x);
  }
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return x;
  }
};

struct IsNan {
  template <Real T>
  static HWY_INLINE bool apply(T x) {
    return x != x;
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE bool apply(T) {
    return false;
  }
};

struct IsInf {
  template <Real T>
  static HWY_INLINE bool apply(T x) {
    return std::fabs(x) == std::numeric_limits<T>::infinity();
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE bool apply(T) {
    return false;
  }
};

struct IsFinite {
  template <Real T>
  static HWY_INLINE bool apply(T x) {
    return std::fabs(x) < std::numeric_limits<T>::infinity();
  }
  template <class T>
    requires(Integer<T> || Boolean<T>)
  static HWY_INLINE bool apply(T) {
    return true;
  }
};

struct LogicalNot {
  template <class T>
    requires(Number<T> || Boolean<T>)
  static HWY_INLINE bool apply(T x) {
    return x == T{0};
  }
};

struct BitwiseNot {
  template <Integer T>
  static HWY_INLINE T apply(T x) {
    return static_cast<T>(~x);
  }
  template <Boolean T>
  static HWY_INLINE T apply(T x) {
    return !x;
  }
};

#define STRETTO_CPU_ROW(name, Op) ElementwiseOperator{name, loops_of<Op, 1>()},
auto unary_operators() { return std::array{STRETTO_UNARY_OPERATORS(STRETTO_CPU_ROW)}; }
#undef STRETTO_CPU_ROW

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(unary_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(unary_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
