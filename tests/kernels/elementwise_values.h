#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kernels/elementwise_cases.h"
#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {

template <typename T>
constexpr bool is_float = !std::is_integral_v<T>;

template <typename T>
std::vector<T> special_values() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (is_float<T>) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {Limits::infinity(),  static_cast<T>(-static_cast<float>(Limits::infinity())),
                             Limits::quiet_NaN(), Limits::denorm_min(),
                             Limits::max(),       Limits::min()};
    for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 3.0f, -3.0f, 0.125f, 7.0f, -7.25f,
                          100.0f, -100.0f, 0.001f, 30000.0f}) {
      values.push_back(static_cast<T>(x));
    }
    return values;
  } else {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = {Limits::max(),      Limits::min(),      static_cast<T>(Limits::max() - 1),
                             static_cast<T>(-1), static_cast<T>(-3), static_cast<T>(-7)};
    for (const int x : {0, 1, 2, 3, 7, 10, 63, 100, 127, 255}) values.push_back(static_cast<T>(x));
    return values;
  }
}

template <typename T>
bool defined(const ElementwiseCase& c) {
  if constexpr (std::is_same_v<T, bool>) return static_cast<bool>(c.boolean);
  if constexpr (is_float<T>) return static_cast<bool>(c.real);
  return static_cast<bool>(c.integer);
}

template <typename T>
bool allowed(const ElementwiseCase& c, const std::vector<T>& arguments) {
  const T last = arguments.back();
  if constexpr (is_float<T>) {
    if (!c.finite_only) return true;
    return std::all_of(arguments.begin(), arguments.end(), [](T x) {
      return std::isfinite(static_cast<float>(x)) && std::fabs(static_cast<float>(x)) < 40000;
    });
  } else {
    if (c.divides && last == 0) return false;
    const double number = static_cast<double>(last);
    return !c.small_exponent || (number >= 0 && number <= 70);
  }
}

inline DType result_dtype(const ElementwiseCase& c, DType dtype) { return c.predicate ? DType::bool_ : dtype; }

/// All tuples of special values that the case allows as arguments.
template <typename T>
const std::vector<std::vector<T>>& tuples(const ElementwiseCase& c) {
  static std::map<std::string, std::vector<std::vector<T>>> known;
  const auto [place, is_new] = known.try_emplace(c.name);
  std::vector<std::vector<T>>& result = place->second;
  if (!is_new) return result;
  result = {{}};
  for (int i = 0; i < c.inputs; ++i) {
    std::vector<std::vector<T>> longer;
    for (const auto& tuple : result) {
      for (const T value : special_values<T>()) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    }
    result = std::move(longer);
  }
  std::erase_if(result, [&](const std::vector<T>& tuple) { return !allowed(c, tuple); });
  return result;
}

/// Calls `body(case, type)` for every operator and every type it is defined for.
template <typename Body>
void for_each_case(Body body) {
  for (const ElementwiseCase& c : elementwise_cases()) {
    for (int i = 0; i < 8; ++i) {
      visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T> type) {
        if (defined<T>(c)) body(c, type);
      });
    }
  }
}

/// Inputs of `shape` filled with allowed tuples, from number `first` on.
template <typename T>
std::vector<TestArray> make_inputs(const ElementwiseCase& c, std::vector<std::int64_t> shape, TestLayout layout,
                                   std::size_t first = 0) {
  const auto& all = tuples<T>(c);
  std::vector<TestArray> inputs(static_cast<std::size_t>(c.inputs), TestArray(dtype_of<T>(), shape, layout));
  for (std::int64_t i = 0; i < inputs[0].size(); ++i) {
    const auto& tuple = all[(first + static_cast<std::size_t>(i) * 7) % all.size()];
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k].set<T>(i, tuple[k]);
  }
  return inputs;
}

inline std::vector<Array> arrays_of(std::vector<TestArray>& arrays) {
  std::vector<Array> result;
  for (TestArray& array : arrays) result.push_back(array.array());
  return result;
}

/// What the others are measured by: the bytes of the results, each computed in a call of its own.
template <typename T>
std::vector<std::byte> one_at_a_time(const ElementwiseCase& c, const std::vector<TestArray>& inputs) {
  ReverseContext context;
  std::vector<std::byte> result;
  for (std::int64_t i = 0; i < inputs[0].size(); ++i) {
    std::vector<TestArray> single;
    for (const TestArray& input : inputs) single.push_back(TestArray::of<T>({input.get<T>(i)}, {1}));
    TestArray output(result_dtype(c, dtype_of<T>()), {1});
    run_kernel(c.name, {output.array()}, arrays_of(single), context);
    const auto bytes = output.contents();
    result.insert(result.end(), bytes.begin(), bytes.end());
  }
  return result;
}

}  // namespace stretto
