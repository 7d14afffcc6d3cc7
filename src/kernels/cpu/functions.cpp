#include <array>
#include <cmath>

#include "kernels/cpu/elementwise_registration.h"
#include "kernels/cpu/single_math.h"
#include "kernels/cpu/targets.h"

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

auto function_operators() {
  return std::array{
      ElementwiseOperator{"exp", loops_of<Exp, 1>(), costly_grain},
      ElementwiseOperator{"expm1", loops_of<Expm1, 1>(), costly_grain},
      ElementwiseOperator{"log", loops_of<Log, 1>(), costly_grain},
      ElementwiseOperator{"log1p", loops_of<Log1p, 1>(), costly_grain},
      ElementwiseOperator{"log2", loops_of<Log2, 1>(), costly_grain},
      ElementwiseOperator{"tanh", loops_of<Tanh, 1>(), costly_grain},
      ElementwiseOperator{"erf", loops_of<Erf, 1>(), costly_grain},
      ElementwiseOperator{"sigmoid", loops_of<Sigmoid, 1>(), costly_grain},
      ElementwiseOperator{"sin", loops_of<Sin, 1>(), costly_grain},
      ElementwiseOperator{"cos", loops_of<Cos, 1>(), costly_grain},
      ElementwiseOperator{"tan", loops_of<Tan, 1>(), costly_grain},
  };
}

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
