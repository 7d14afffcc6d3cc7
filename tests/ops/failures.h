#pragma once

// What operators refuse: each wrong call, and the whole message that helps. Shapes, types and devices are refused by
// the call itself; bad values by whatever reads the result.

#include <functional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/stretto.h>

namespace stretto {

/// Expects that `call` throws an Exception whose operation and message are these, and whose place is in the file where
/// this is called.
template <class Exception>
void expect_failure(const std::function<void()>& call, const std::string& line,
                    CallSite here = std::source_location::current()) {
  try {
    call();
    ADD_FAILURE() << "nothing is thrown, where was expected: " << line;
  } catch (const Exception& error) {
    EXPECT_EQ(std::string(error.what()), line + " (at " + to_string(error.site()) + ")");
    EXPECT_EQ(std::string_view(error.site().file), std::string_view(here.file)) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what() << ", where was expected: " << line;
  }
}

inline const Tensor& matrix() {
  static const Tensor tensor = ones({2, 3});
  return tensor;
}
inline const Tensor& other() {
  static const Tensor tensor = ones({4, 5});
  return tensor;
}
inline const Tensor& integers() {
  static const Tensor tensor = ones({2, 3}, cpu(), DType::int64);
  return tensor;
}
inline const Tensor& truths() {
  static const Tensor tensor = ones({2, 3}, cpu(), DType::bool_);
  return tensor;
}
inline const Tensor& far() {
  static const Tensor tensor = ones({2, 3}, sim());
  return tensor;
}
inline const Tensor undefined;

using UnaryOperator = Tensor (*)(const Operand&);
using BinaryOperator = Tensor (*)(const Operand&, const Operand&);
struct NamedUnary {
  const char* name;
  UnaryOperator call;
};
struct NamedBinary {
  const char* name;
  BinaryOperator call;
};
/// Each operator of one operand, by its name.
inline constexpr NamedUnary every_unary[] = {{"neg", &neg},
                                             {"abs", &abs},
                                             {"sign", &sign},
                                             {"square", &square},
                                             {"floor", &floor},
                                             {"ceil", &ceil},
                                             {"round", &round},
                                             {"trunc", &trunc},
                                             {"exp", &exp},
                                             {"expm1", &expm1},
                                             {"log", &log},
                                             {"log1p", &log1p},
                                             {"log2", &log2},
                                             {"sqrt", &sqrt},
                                             {"rsqrt", &rsqrt},
                                             {"reciprocal", &reciprocal},
                                             {"sin", &sin},
                                             {"cos", &cos},
                                             {"tan", &tan},
                                             {"erf", &erf},
                                             {"relu", &relu},
                                             {"sigmoid", &sigmoid},
                                             {"tanh", &tanh},
                                             {"isnan", &isnan},
                                             {"isinf", &isinf},
                                             {"isfinite", &isfinite},
                                             {"bitwise_not", &bitwise_not},
                                             {"logical_not", &logical_not}};
/// Each operator of two operands, by its name.
inline constexpr NamedBinary every_binary[] = {{"add", &add},
                                               {"sub", &sub},
                                               {"mul", &mul},
                                               {"div", &div},
                                               {"floor_divide", &floor_divide},
                                               {"remainder", &remainder},
                                               {"pow", &pow},
                                               {"maximum", &maximum},
                                               {"minimum", &minimum},
                                               {"eq", &eq},
                                               {"ne", &ne},
                                               {"lt", &lt},
                                               {"le", &le},
                                               {"gt", &gt},
                                               {"ge", &ge},
                                               {"logical_and", &logical_and},
                                               {"logical_or", &logical_or},
                                               {"logical_xor", &logical_xor},
                                               {"bitwise_and", &bitwise_and},
                                               {"bitwise_or", &bitwise_or},
                                               {"bitwise_xor", &bitwise_xor}};

}  // namespace stretto
