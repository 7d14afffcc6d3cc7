#include "ops/failures.h"

namespace stretto {
namespace {

TEST(Failures, TypesThatAreNotTaken) {
  expect_failure<DTypeError>([] { neg(truths()); }, "[neg] takes numbers, not bool");
  expect_failure<DTypeError>([] { relu(truths()); }, "[relu] takes numbers, not bool");
  expect_failure<DTypeError>([] { pow(truths(), truths()); }, "[pow] takes numbers, not bool");
  const std::string subtraction =
      "[sub] bool cannot be subtracted: logical_xor tells what differs, logical_not inverts";
  expect_failure<DTypeError>([] { truths() - truths(); }, subtraction);
  expect_failure<DTypeError>([] { matrix() - truths(); }, subtraction);
  expect_failure<DTypeError>([] { matrix() - true; }, subtraction);
  expect_failure<DTypeError>([] { matrix() & truths(); }, "[bitwise_and] takes integers and bool, not float32");
  expect_failure<DTypeError>([] { ~matrix(); }, "[bitwise_not] takes integers and bool, not float32");
  expect_failure<DTypeError>([] { tanh_backward(integers(), integers()); },
                             "[tanh_backward] takes floating types, not int64");
  expect_failure<DTypeError>([] { where(integers(), 1, 2); }, "[where] the condition must be bool, not int64");
  expect_failure<DTypeError>([] { masked_fill(matrix(), matrix(), 2); },
                             "[masked_fill] the mask must be bool, not float32");
  expect_failure<DTypeError>([] { clamp(truths(), true, true); }, "[clamp] takes numbers, not bool");
  expect_failure<DTypeError>([] { mean(integers()); }, "[mean] the mean of int64 is no int64: name a floating dtype");
  expect_failure<DTypeError>([] { var(integers()); }, "[var] takes floating types, not int64");
  expect_failure<DTypeError>([] { std(integers()); }, "[std] takes floating types, not int64");
  expect_failure<DTypeError>([] { norm(integers()); }, "[norm] takes floating types, not int64");
  expect_failure<DTypeError>([] { argmax(truths()); }, "[argmax] takes numbers, not bool");
  expect_failure<DTypeError>([] { sum(matrix(), {}, false, DType::bool_); }, "[sum] a total cannot be bool");
  expect_failure<DTypeError>([] { cumprod(matrix(), 0, DType::bool_); }, "[cumprod] a total cannot be bool");
  expect_failure<DTypeError>([] { softmax(integers(), 0); }, "[softmax] takes floating types, not int64");
  expect_failure<DTypeError>([] { softmax_backward(matrix(), matrix().to(DType::float64), 0); },
                             "[softmax_backward] the gradient is float32 and the result float64");
  expect_failure<DTypeError>([] { cross_entropy(matrix(), ones({2})); },
                             "[cross_entropy] labels must be integers, not float32");
  expect_failure<DTypeError>([] { cross_entropy(integers(), ones({2}, cpu(), DType::int64)); },
                             "[cross_entropy] takes floating types, not int64");
  expect_failure<DTypeError>([] { matmul(matrix(), integers().t()); },
                             "[matmul] takes tensors of one type, not float32 and int64");
  expect_failure<DTypeError>([] { matmul(truths(), truths().t()); }, "[matmul] takes numbers, not bool");
  expect_failure<DTypeError>([] { addmm(integers(), integers(), ones({3, 3}, cpu(), DType::int64), 0.5); },
                             "[addmm] the factor 0.5 must be an integer for int64");
  expect_failure<DTypeError>([] { addmm_relu(truths(), truths(), truths().t()); },
                             "[addmm_relu] takes numbers, not bool");
  expect_failure<DTypeError>([] { matmul_relu_backward(integers(), integers().t(), integers()); },
                             "[matmul_relu_backward] takes floating types, not int64");
  expect_failure<DTypeError>([] { matmul_relu_backward(matrix(), matrix().t(), integers()); },
                             "[matmul_relu_backward] takes tensors of one type, not float32 and int64");
  expect_failure<DTypeError>([] { gather(matrix(), 0, matrix()); }, "[gather] the index must be integers, not float32");
  expect_failure<DTypeError>([] { one_hot(truths(), 2); }, "[one_hot] the index must be integers, not bool");
  expect_failure<DTypeError>([] { index_add(matrix(), 0, zeros({2}, cpu(), DType::int64), integers()); },
                             "[index_add] cannot add int64 to float32");
  expect_failure<DTypeError>([] { index_add(integers(), 0, zeros({2}, cpu(), DType::int64), integers(), 0.5); },
                             "[index_add] the factor 0.5 must be an integer for int64");
  expect_failure<DTypeError>([] { linspace(0, 1, 5, cpu(), DType::int32); },
                             "[linspace] takes floating types, not int32");
  expect_failure<DTypeError>([] { arange(5, cpu(), DType::bool_); }, "[arange] takes numbers, not bool");
  expect_failure<DTypeError>([] { uniform({2}, cpu(), DType::int64); }, "[uniform] takes floating types, not int64");
  expect_failure<DTypeError>([] { normal_like(integers()); }, "[normal_like] takes floating types, not int64");
}

}  // namespace
}  // namespace stretto
