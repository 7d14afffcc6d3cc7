#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include "kernels/elementwise_values.h"

namespace stretto {
namespace {

/// The definition's result as the kernel should give it.
template <typename T>
double expected_real(const ElementwiseCase& c, const std::vector<T>& arguments) {
  double wide[3];
  for (std::size_t i = 0; i < arguments.size(); ++i) wide[i] = static_cast<double>(arguments[i]);
  const double result = c.real(wide);
  // 16-bit floats are computed in float.
  return sizeof(T) == 2 ? static_cast<double>(static_cast<T>(static_cast<float>(result)))
                        : static_cast<double>(static_cast<T>(result));
}

template <typename T>
WideInteger expected_integer(const ElementwiseCase& c, const std::vector<T>& arguments) {
  if constexpr (std::is_same_v<T, bool>) {
    bool values[3];
    std::copy(arguments.begin(), arguments.end(), values);
    return c.boolean(values);
  } else {
    WideInteger values[3];
    std::copy(arguments.begin(), arguments.end(), values);
    const WideInteger result = c.integer(values);
    return c.predicate ? result : static_cast<WideInteger>(static_cast<T>(result));
  }
}

template <typename T>
T next_up(T x, int steps) {
  for (; steps != 0; steps += steps > 0 ? -1 : 1) {
    const double direction = steps > 0 ? INFINITY : -INFINITY;
    if constexpr (sizeof(T) == 2) {
      const float value = static_cast<float>(x);
      const int up = (direction > 0) == (value > 0 || (value == 0 && direction > 0)) ? 1 : -1;
      x = value == 0 ? static_cast<T>(static_cast<float>(std::numeric_limits<T>::denorm_min()) *
                                      (direction > 0 ? 1.0f : -1.0f))
                     : T::from_bits(static_cast<std::uint16_t>(x.bits() + up));
    } else {
      x = std::nextafter(x, static_cast<T>(direction));
    }
  }
  return x;
}

template <typename T>
bool same_number(double expected, T actual, int units) {
  const double value = static_cast<double>(actual);
  if (std::isnan(expected)) return std::isnan(value);
  if (value == expected) return true;
  const T rounded = static_cast<T>(expected);
  return units > 0 && value <= static_cast<double>(next_up(rounded, units)) &&
         value >= static_cast<double>(next_up(rounded, -units));
}

template <typename T>
std::string describe(const ElementwiseCase& c, const std::vector<T>& arguments) {
  std::string text = c.name + " " + std::string(name(dtype_of<T>()));
  for (const T x : arguments) text += " " + std::to_string(static_cast<double>(x));
  return text;
}

TEST(Elementwise, AgreesWithTheDefinitionOnSpecialValues) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    const auto& all = tuples<T>(c);
    const std::int64_t count = static_cast<std::int64_t>(all.size());
    std::vector<TestArray> inputs(static_cast<std::size_t>(c.inputs), TestArray(dtype_of<T>(), {count}));
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k].set<T>(i, all[static_cast<std::size_t>(i)][k]);
    }
    TestArray output(result_dtype(c, dtype_of<T>()), {count});
    run_kernel(c.name, {output.array()}, arrays_of(inputs), context);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& arguments = all[static_cast<std::size_t>(i)];
      if constexpr (is_float<T>) {
        if (c.predicate) {
          ASSERT_EQ(output.get<std::uint8_t>(i), expected_real(c, arguments)) << describe(c, arguments);
        } else {
          const double expected = expected_real(c, arguments);
          ASSERT_TRUE(same_number(expected, output.get<T>(i), c.approximate && sizeof(T) < 8 ? 1 : 0))
              << describe(c, arguments) << ": " << static_cast<double>(output.get<T>(i)) << " instead of " << expected;
        }
      } else {
        const WideInteger actual =
            c.predicate ? output.get<std::uint8_t>(i) : static_cast<WideInteger>(output.get<T>(i));
        ASSERT_TRUE(actual == expected_integer(c, arguments)) << describe(c, arguments);
      }
    }
  });
}

TEST(Elementwise, RefusesOtherTypes) {
  ReverseContext context;
  int refused = 0;
  for (const ElementwiseCase& c : elementwise_cases()) {
    for (int i = 0; i < 8; ++i) {
      visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
        if (defined<T>(c)) return;
        ++refused;
        std::vector<TestArray> inputs(static_cast<std::size_t>(c.inputs), TestArray(dtype_of<T>(), {1}));
        TestArray output(dtype_of<T>(), {1});
        try {
          run_kernel(c.name, {output.array()}, arrays_of(inputs), context);
          ADD_FAILURE() << c.name << " takes " << name(dtype_of<T>());
        } catch (const DTypeError& error) {
          EXPECT_EQ(std::string(error.what()),
                    "the operation is not defined for dtype " + std::string(name(dtype_of<T>())));
        }
      });
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Elementwise, DependsNotOnPositionOrTail) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    for (std::int64_t length = 1; length <= 40; ++length) {
      auto inputs = make_inputs<T>(c, {length}, TestLayout::contiguous, static_cast<std::size_t>(length));
      TestArray output(result_dtype(c, dtype_of<T>()), {length});
      run_kernel(c.name, {output.array()}, arrays_of(inputs), context);
      ASSERT_EQ(output.contents(), one_at_a_time<T>(c, inputs))
          << c.name << " " << name(dtype_of<T>()) << " " << length;
    }
  });
}

TEST(Elementwise, KeepsANanInItsPlace) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    if constexpr (is_float<T>) {
      for (std::int64_t place = 0; place < 17; ++place) {
        for (int operand = 0; operand < c.inputs; ++operand) {
          std::vector<TestArray> inputs(static_cast<std::size_t>(c.inputs), TestArray(dtype_of<T>(), {17}));
          for (auto& input : inputs) {
            for (std::int64_t i = 0; i < 17; ++i) input.set<T>(i, static_cast<T>(0.75f));
          }
          inputs[static_cast<std::size_t>(operand)].set<T>(place, std::numeric_limits<T>::quiet_NaN());
          TestArray output(result_dtype(c, dtype_of<T>()), {17});
          run_kernel(c.name, {output.array()}, arrays_of(inputs), context);
          ASSERT_EQ(output.contents(), one_at_a_time<T>(c, inputs)) << c.name << " " << place;
          for (std::int64_t i = 0; i < 17 && !c.predicate && c.name != "relu_backward"; ++i) {
            ASSERT_EQ(std::isnan(static_cast<float>(output.get<T>(i))), i == place) << c.name << " " << place;
          }
        }
      }
    }
  });
}

TEST(Elementwise, DoesNothingWithoutElements) {
  ReverseContext context;
  for_each_case([&]<class T>(const ElementwiseCase& c, std::type_identity<T>) {
    for (const TestLayout layout : all_layouts) {
      std::vector<TestArray> inputs(static_cast<std::size_t>(c.inputs), TestArray(dtype_of<T>(), {3, 0, 2}, layout));
      TestArray output(result_dtype(c, dtype_of<T>()), {3, 0, 2}, layout);
      run_kernel(c.name, {output.array()}, arrays_of(inputs), context);
      EXPECT_TRUE(output.gaps_untouched());
    }
  });
  EXPECT_EQ(context.calls(), 0);
}

template <typename T, typename Kind>
void expect_failure(const std::string& name, std::vector<T> left, std::vector<T> right, const std::string& message) {
  ReverseContext context;
  TestArray a = TestArray::of<T>(left, {static_cast<std::int64_t>(left.size())});
  TestArray b = TestArray::of<T>(right, {static_cast<std::int64_t>(right.size())});
  TestArray output(dtype_of<T>(), {static_cast<std::int64_t>(left.size())});
  try {
    run_kernel(name, {output.array()}, {a.array(), b.array()}, context);
    ADD_FAILURE() << name << " succeeds";
  } catch (const Kind& error) {
    EXPECT_EQ(std::string(error.what()), message);
  }
}

TEST(Elementwise, RefusesIntegerDivisionByZeroAndNegativePowers) {
  expect_failure<std::int32_t, UsageError>("floor_divide", {1, 2, 3}, {1, 0, 1}, "integer division by zero");
  expect_failure<std::int64_t, UsageError>("remainder", {1, 2, 3}, {1, 2, 0}, "integer division by zero");
  expect_failure<std::uint8_t, UsageError>("remainder", {1}, {0}, "integer division by zero");
  expect_failure<std::int64_t, UsageError>(
      "pow", {2, 2}, {3, -1}, "an integer cannot be raised to a negative power: convert to a floating dtype first");
}

template <typename T>
T apply(const std::string& name, T a, T b) {
  ReverseContext context;
  TestArray x = TestArray::of<T>({a}, {1});
  TestArray y = TestArray::of<T>({b}, {1});
  TestArray output(dtype_of<T>(), {1});
  run_kernel(name, {output.array()}, {x.array(), y.array()}, context);
  return output.get<T>(0);
}

TEST(Elementwise, DividesInfinitiesAsPythonDoes) {
  for (const double infinity : {HUGE_VAL, -HUGE_VAL}) {
    EXPECT_TRUE(std::isnan(apply<double>("floor_divide", infinity, 2)));
    EXPECT_TRUE(std::isnan(apply<float>("remainder", static_cast<float>(infinity), 2)));
    EXPECT_EQ(apply<double>("floor_divide", infinity, 0), infinity);
    EXPECT_EQ(apply<double>("remainder", infinity > 0 ? -1 : 1, infinity), infinity);
    EXPECT_EQ(apply<double>("floor_divide", infinity > 0 ? -1 : 1, infinity), -1);
    EXPECT_EQ(apply<double>("floor_divide", infinity > 0 ? 1 : -1, infinity), 0);
  }
  EXPECT_TRUE(std::isnan(apply<float>("remainder", 1, 0)));
  EXPECT_EQ(apply<double>("floor_divide", 1, 0.1), 9);  // 0.1 is a little more than a tenth
}

TEST(Elementwise, ComparesAndSelectsByCondition) {
  ReverseContext context;
  for (int i = 0; i < 8; ++i) {
    visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
      const auto values = special_values<T>();
      const std::int64_t count = 601;
      for (const TestLayout layout : all_layouts) {
        TestArray condition(DType::bool_, {count, 2}, layout);
        TestArray a(dtype_of<T>(), {count, 2});
        TestArray b(dtype_of<T>(), {count, 2}, layout);
        for (std::int64_t k = 0; k < 2 * count; ++k) {
          condition.set<bool>(k, k % 3 == 0);
          a.set<T>(k, values[static_cast<std::size_t>(k) % values.size()]);
          b.set<T>(k, values[static_cast<std::size_t>(k + 1) % values.size()]);
        }
        TestArray output(dtype_of<T>(), {count, 2}, layout);
        run_kernel("where", {output.array()}, {condition.array(), a.array(), b.array()}, context);
        const auto bytes = output.contents();
        const auto from_a = a.contents();
        const auto from_b = b.contents();
        for (std::size_t k = 0; k < bytes.size(); ++k) {
          ASSERT_EQ(bytes[k], (k / sizeof(T) % 3 == 0 ? from_a : from_b)[k]) << name(dtype_of<T>());
        }
      }
    });
  }
}

}  // namespace
}  // namespace stretto
