#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {
namespace {

struct Function {
  std::string name;
  double (*definition)(double);
  float low;   // arguments are drawn from here
  float high;  // to here, and from all floats
};

const Function known_functions[] = {
    {"exp", std::exp, -105, 90},
    {"expm1", std::expm1, -20, 90},
    {"log", std::log, 0, 3},
    {"log1p", std::log1p, -1, 3},
    {"log2", std::log2, 0, 3},
    {"sin", std::sin, -50, 50},
    {"cos", std::cos, -50, 50},
    {"tan", std::tan, -50, 50},
    {"tanh", std::tanh, -10, 10},
    {"erf", std::erf, -4, 4},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -105, 105},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0, 10},
};

/// How far `actual` is from `exact`, in units of the last place of a float near `exact`.
double error_in_units(double exact, float actual) {
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : HUGE_VAL;
  const float rounded = static_cast<float>(exact);
  if (actual == rounded) return 0.5;
  if (std::isinf(actual) || std::isinf(rounded)) return HUGE_VAL;
  const double unit = std::max(std::ldexp(1.0, std::ilogb(exact) - 23), 0x1p-149);
  return std::abs(static_cast<double>(actual) - exact) / unit;
}

TEST(Functions, AreOffByHalfAUnitInTheLastPlace) {
  std::mt19937 random(3);
  constexpr std::int64_t count = 60'000;
  ReverseContext context;
  for (const Function& function : known_functions) {
    TestArray x(DType::float32, {count});
    std::uniform_real_distribution<float> near(function.low, function.high);
    for (std::int64_t i = 0; i < count; ++i) {
      const float any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      x.set<float>(i, i % 2 == 0 ? near(random) : any);
    }
    TestArray y(DType::float32, {count});
    run_kernel(function.name, {y.array()}, {x.array()}, context);
    for (std::int64_t i = 0; i < count; ++i) {
      const double exact = function.definition(static_cast<double>(x.get<float>(i)));
      ASSERT_LE(error_in_units(exact, y.get<float>(i)), 0.51) << function.name << " " << x.get<float>(i);
    }
  }
}

TEST(Functions, PowersAreOffByHalfAUnitInTheLastPlace) {
  std::mt19937 random(4);
  constexpr std::int64_t count = 200'000;
  ReverseContext context;
  TestArray x(DType::float32, {count});
  TestArray y(DType::float32, {count});
  std::uniform_real_distribution<float> base(0, 20);
  std::uniform_real_distribution<float> exponent(-30, 30);
  std::uniform_real_distribution<float> near_one(0.999f, 1.001f);
  for (std::int64_t i = 0; i < count; ++i) {
    const float any = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const float whole = static_cast<float>(static_cast<int>(random() % 41) - 20);
    x.set<float>(i, i % 4 == 0 ? base(random) : i % 4 == 1 ? near_one(random) : i % 4 == 2 ? -base(random) : any);
    y.set<float>(i, i % 4 == 0   ? exponent(random)
                    : i % 4 == 1 ? exponent(random) * 3000
                    : i % 4 == 2 ? whole
                                 : exponent(random));
  }
  TestArray z(DType::float32, {count});
  run_kernel("pow", {z.array()}, {x.array(), y.array()}, context);
  for (std::int64_t i = 0; i < count; ++i) {
    const double exact = std::pow(static_cast<double>(x.get<float>(i)), static_cast<double>(y.get<float>(i)));
    ASSERT_LE(error_in_units(exact, z.get<float>(i)), 0.51) << x.get<float>(i) << " ^ " << y.get<float>(i);
  }
}

template <typename T>
std::vector<T> apply(const std::string& name, const std::vector<T>& values) {
  ReverseContext context;
  TestArray x = TestArray::of<T>(values, {static_cast<std::int64_t>(values.size())});
  TestArray y(dtype_of<T>(), {static_cast<std::int64_t>(values.size())});
  run_kernel(name, {y.array()}, {x.array()}, context);
  return y.values<T>();
}

TEST(Functions, KeepTheSignOfZero) {
  for (const char* name : {"expm1", "log1p", "sin", "tan", "tanh", "erf", "sqrt"}) {
    const auto result = apply<float>(name, {0.0f, -0.0f});
    EXPECT_EQ(result[0], 0) << name;
    EXPECT_FALSE(std::signbit(result[0])) << name;
    EXPECT_EQ(result[1], 0) << name;
    EXPECT_TRUE(std::signbit(result[1])) << name;
  }
}

TEST(Functions, ReluKeepsNan) {
  const auto result = apply<float>("relu", {NAN, -1, 2});
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_EQ(result[1], 0);
  EXPECT_EQ(result[2], 2);
}

TEST(Functions, RoundHalvesToEven) {
  EXPECT_EQ(apply<float>("round", {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.49999997f, 8388609.0f}),
            (std::vector<float>{0, 2, 2, 0, -2, 0, 8388609.0f}));
}

}  // namespace
}  // namespace stretto
