#pragma once

// The elementwise operators of each family, once for all kinds of devices: every backend that has kernels of its own
// makes its rows from these lists, so an operator that is added here does not compile until each has it. `ROW(name,
// Op)` is expanded for each operator: its name, and the struct that computes one element, which each backend writes for
// itself.

/// Two inputs.
#define STRETTO_ARITHMETIC_OPERATORS(ROW) \
  ROW("add", Add)                         \
  ROW("sub", Sub)                         \
  ROW("mul", Mul)                         \
  ROW("div", Div)                         \
  ROW("floor_divide", FloorDivide)        \
  ROW("remainder", Remainder)             \
  ROW("pow", Pow)                         \
  ROW("maximum", Maximum)                 \
  ROW("minimum", Minimum)

/// Two inputs.
#define STRETTO_COMPARISON_OPERATORS(ROW) \
  ROW("eq", Equal)                        \
  ROW("ne", NotEqual)                     \
  ROW("lt", Less)                         \
  ROW("le", LessEqual)                    \
  ROW("gt", Greater)                      \
  ROW("ge", GreaterEqual)                 \
  ROW("logical_and", LogicalAnd)          \
  ROW("logical_or", LogicalOr)            \
  ROW("logical_xor", LogicalXor)          \
  ROW("bitwise_and", BitwiseAnd)          \
  ROW("bitwise_or", BitwiseOr)            \
  ROW("bitwise_xor", BitwiseXor)

/// One input.
#define STRETTO_UNARY_OPERATORS(ROW) \
  ROW("neg", Neg)                    \
  ROW("abs", Abs)                    \
  ROW("sign", Sign)                  \
  ROW("square", Square)              \
  ROW("reciprocal", Reciprocal)      \
  ROW("sqrt", Sqrt)                  \
  ROW("rsqrt", Rsqrt)                \
  ROW("relu", Relu)                  \
  ROW("floor", Floor)                \
  ROW("ceil", Ceil)                  \
  ROW("trunc", Trunc)                \
  ROW("round", Round)                \
  ROW("isnan", IsNan)                \
  ROW("isinf", IsInf)                \
  ROW("isfinite", IsFinite)          \
  ROW("logical_not", LogicalNot)     \
  ROW("bitwise_not", BitwiseNot)

/// One input; computed in more steps than those above.
#define STRETTO_FUNCTION_OPERATORS(ROW) \
  ROW("exp", Exp)                       \
  ROW("expm1", Expm1)                   \
  ROW("log", Log)                       \
  ROW("log1p", Log1p)                   \
  ROW("log2", Log2)                     \
  ROW("tanh", Tanh)                     \
  ROW("erf", Erf)                       \
  ROW("sigmoid", Sigmoid)               \
  ROW("sin", Sin)                       \
  ROW("cos", Cos)                       \
  ROW("tan", Tan)

/// A gradient, and what it is the gradient of.
#define STRETTO_BACKWARD_OPERATORS(ROW)    \
  ROW("relu_backward", ReluBackward)       \
  ROW("sigmoid_backward", SigmoidBackward) \
  ROW("tanh_backward", TanhBackward)
