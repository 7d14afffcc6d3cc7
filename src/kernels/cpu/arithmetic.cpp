#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/single_math.h"
#include "kernels/cpu/targets.h"
#include "kernels/rules/elementwise_operators.h"
#include "kernels/rules/failures.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/arithmetic.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

[[noreturn]] void throw_division_by_zero() { throw rules::division_by_zero(); }
[[noreturn]] void throw_negative_exponent() { throw rules::negative_exponent(); }

struct Add {
  template <Real T>
  static HWY_INLINE T apply(T a, T b) {
    return a + b;
  }
  template <Integer T>
  static HWY_INLINE T apply(T a, T b) {
    return rules::sum(a, b);
  }
  template <Boolean T>
  static HWY_INLINE T apply(T a, T b) {
    return a | b;
  }
};

struct Sub {
  template <Real T>
  static HWY_INLINE T apply(T a, T b) {
    return a - b;
  }
  template <Integer T>
  static HWY_INLINE T apply(T a, T b) {
    return rules::difference(a, b);
  }
};

struct Mul {
  template <Real T>
  static HWY_INLINE T apply(T a, T b) {
    return a * b;
  }
  template <Integer T>
  static HWY_INLINE T apply(T a, T b) {
    return rules::product(a, b);
  }
  template <Boolean T>
  static HWY_INLINE T apply(T a, T b) {
    return a & b;
  }
};

struct Div {
  template <Real T>
  static HWY_INLINE T apply(T a, T b) {
    return a / b;
  }
};

/// Whether a float quotient and its rest are exact in double: so small a quotient, times a float, has no more than 53
/// bits.
HWY_INLINE bool is_large_quotient(float a, float b) {
  const bool small = std::fabs(a / b) < 0x1p28f;
  return !(small & (std::fabs(b) < std::numeric_limits<float>::infinity()));
}

/// The quotient rounded towards minus infinity. That of a and b exactly: a / b may have been rounded to the next
/// integer.
struct FloorDivide {
  static constexpr bool costly = true, refuses_integers = true;

  static HWY_INLINE float apply(float a, float b) {
    const double exact = static_cast<double>(a) / b;
    const double whole = std::trunc(exact);
    const double rest = a - whole * b;
    const double floor = ((rest != 0) & ((b < 0) != (rest < 0))) ? whole - 1 : whole;
    return static_cast<float>(floor == 0 ? std::copysign(0.0, exact) : floor);
  }
  static HWY_INLINE bool is_exception(float a, float b) { return is_large_quotient(a, b); }
  static float exception(float a, float b) { return divide(a, b); }

  static double apply(double a, double b) { return divide(a, b); }

  template <Integer T>
  static HWY_INLINE T apply(T a, T b) {
    if (b == 0) throw_division_by_zero();
    return rules::floor_quotient(a, b);
  }

 private:
  template <Real T>
  static T divide(T a, T b) {
    if (b == 0) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T{0}, a / b);
    const T whole = std::floor(quotient);
    return quotient - whole > T{0.5} ? whole + 1 : whole;
  }
};

/// The rest has the divisor's sign, zero included.
struct Remainder {
  static constexpr bool costly = true, refuses_integers = true;

  static HWY_INLINE float apply(float a, float b) {
    const double rest = a - std::trunc(static_cast<double>(a) / b) * b;
    const double floored = (b < 0) != (rest < 0) ? rest + b : rest;
    return static_cast<float>(rest == 0 ? std::copysign(0.0, static_cast<double>(b)) : floored);
  }
  static HWY_INLINE bool is_exception(float a, float b) { return is_large_quotient(a, b); }
  static float exception(float a, float b) { return divide(a, b); }

  static double apply(double a, double b) { return divide(a, b); }

  template <Integer T>
  static HWY_INLINE T apply(T a, T b) {
    if (b == 0) throw_division_by_zero();
    return rules::floor_rest(a, b);
  }

 private:
  template <Real T>
  static T divide(T a, T b) {
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T{0}, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
  }
};

struct Pow {
  static constexpr bool costly = true, refuses_integers = true;

  static HWY_INLINE float apply(float x, float y) {
    const double square = static_cast<double>(x) * x;
    return static_cast<float>(y == 2 ? square : single_math::pow(x, y));
  }
  static HWY_INLINE bool is_exception(float x, float y) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float magnitude = std::fabs(x);
    const bool usual = (magnitude > 0) & (magnitude < infinity) & (std::fabs(y) < infinity);
    return !(usual | (y == 2));
  }
  static float exception(float x, float y) {
    return static_cast<float>(std::pow(static_cast<double>(x), static_cast<double>(y)));
  }

  static HWY_INLINE double apply(double x, double y) { return y == 2 ? x * x : std::pow(x, y); }

  template <Integer T>
  static HWY_INLINE T apply(T x, T y) {
    if (y < 0) throw_negative_exponent();
    return rules::power(x, y);
  }
};

// A NaN on either side wins.
struct Maximum {
  template <Number T>
  static HWY_INLINE T apply(T a, T b) {
    return ((a > b) | (a != a)) ? a : b;
  }
  template <Boolean T>
  static HWY_INLINE T apply(T a, T b) {
    return a | b;
  }
};

struct Minimum {
  template <Number T>
  static HWY_INLINE T apply(T a, T b) {
    return ((a < b) | (a != a)) ? a : b;
  }
  template <Boolean T>
  static HWY_INLINE T apply(T a, T b) {
    return a & b;
  }
};

template <class Op>
constexpr std::int64_t grain_of() {
  return requires { Op::costly; } ? costly_grain : cheap_grain;
}

template <class Op>
constexpr bool refuses_integers() {
  return requires { Op::refuses_integers; };
}

#define STRETTO_CPU_ROW(name, Op) ElementwiseOperator{name, loops_of<Op, 2>(), grain_of<Op>(), refuses_integers<Op>()},
auto arithmetic_operators() { return std::array{STRETTO_ARITHMETIC_OPERATORS(STRETTO_CPU_ROW)}; }
#undef STRETTO_CPU_ROW

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(arithmetic_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(arithmetic_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
