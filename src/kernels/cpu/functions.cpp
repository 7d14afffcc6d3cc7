#include <array>
#include <cmath>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/single_math.h"
#include "kernels/cpu/targets.h"
#include "kernels/rules/elementwise_operators.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/functions.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/element_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

// float32 goes through functions that compilers vectorise; float64 through those of the C library.
struct Exp {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::exp(x)); }
  static double apply(double x) { return std::exp(x); }
};
struct Expm1 {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::expm1(x)); }
  static double apply(double x) { return std::expm1(x); }
};
struct Log {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::log(x)); }
  static double apply(double x) { return std::log(x); }
};
struct Log1p {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::log1p(x)); }
  static double apply(double x) { return std::log1p(x); }
};
struct Log2 {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::log2(x)); }
  static double apply(double x) { return std::log2(x); }
};
struct Tanh {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::tanh(x)); }
  static double apply(double x) { return std::tanh(x); }
};
struct Erf {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::erf(x)); }
  static double apply(double x) { return std::erf(x); }
};

struct Sigmoid {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::sigmoid(x)); }
  static double apply(double x) { return 1 / (1 + std::exp(-x)); }
};

/// Large angles, infinities and NaNs.
struct UnreducedAngle {
  static HWY_INLINE bool is_exception(float x) {
    return !(std::fabs(x) <= static_cast<float>(single_math::largest_angle));
  }
};

struct Sin : UnreducedAngle {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::sin(x)); }
  static float exception(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
  static double apply(double x) { return std::sin(x); }
};
struct Cos : UnreducedAngle {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::cos(x)); }
  static float exception(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
  static double apply(double x) { return std::cos(x); }
};
struct Tan : UnreducedAngle {
  static HWY_INLINE float apply(float x) { return static_cast<float>(single_math::tan(x)); }
  static float exception(float x) { return static_cast<float>(std::tan(static_cast<double>(x))); }
  static double apply(double x) { return std::tan(x); }
};

#define STRETTO_CPU_ROW(name, Op) ElementwiseOperator{name, loops_of<Op, 1>(), costly_grain},
auto function_operators() { return std::array{STRETTO_FUNCTION_OPERATORS(STRETTO_CPU_ROW)}; }
#undef STRETTO_CPU_ROW

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {
namespace {

HWY_EXPORT(function_operators);
const auto operators = HWY_DYNAMIC_DISPATCH(function_operators)();
const ElementwiseRegistration<operators> registration;

}  // namespace
}  // namespace stretto
#endif
