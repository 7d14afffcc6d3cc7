#include "ops/failures.h"

namespace stretto {
namespace {

TEST(Failures, DevicesThatDiffer) {
  const std::string ending = "tensors are on different devices, cpu:0 and sim:0: move one with to(device)";
  expect_failure<DeviceError>([] { matrix() + far(); }, "[add] " + ending);
  expect_failure<DeviceError>([] { matmul(matrix(), far().t()); }, "[matmul] " + ending);
  expect_failure<DeviceError>([] { linear(matrix(), far()); }, "[linear] " + ending);
  expect_failure<DeviceError>([] { concat({matrix(), far()}); }, "[concat] " + ending);
  expect_failure<DeviceError>([] { stack({matrix(), far()}); }, "[stack] " + ending);
  expect_failure<DeviceError>([] { equal(matrix(), far()); }, "[equal] " + ending);
  expect_failure<DeviceError>([] { allclose(matrix(), far()); }, "[allclose] " + ending);
  expect_failure<DeviceError>([] { index_select(matrix(), 0, zeros({1}, sim(), DType::int64)); },
                              "[index_select] " + ending);
  expect_failure<DeviceError>([] { cross_entropy(matrix(), zeros({2}, sim(), DType::int64)); },
                              "[cross_entropy] " + ending);
}

TEST(Failures, OperandsThatAreNoTensors) {
  expect_failure<UsageError>([] { add(1, 2); }, "[add] at least one operand must be a tensor");
  expect_failure<UsageError>([] { where(1, matrix(), 2); }, "[where] takes a tensor, not the number 1");
  expect_failure<UsageError>([] { exp(2.5); }, "[exp] takes a tensor, not the number 2.5");
  expect_failure<UsageError>([] { sum(3); }, "[sum] takes a tensor, not the number 3");
  expect_failure<UsageError>([] { matmul(matrix(), 2); }, "[matmul] takes a tensor, not the number 2");
  expect_failure<UsageError>([] { zeros_like(true); }, "[zeros_like] takes a tensor, not the number true");
  const std::string ending = "the tensor is not defined: it was made by Tensor() and nothing was assigned to it";
  expect_failure<UsageError>([] { undefined + 1; }, "[add] " + ending);
  expect_failure<UsageError>([] { matrix() < undefined; }, "[lt] " + ending);
  expect_failure<UsageError>([] { exp(undefined); }, "[exp] " + ending);
  expect_failure<UsageError>([] { softmax(undefined, 0); }, "[softmax] " + ending);
  expect_failure<UsageError>([] { concat({matrix(), undefined}); }, "[concat] " + ending);
  expect_failure<UsageError>([] { split(undefined, 1); }, "[split] " + ending);
  expect_failure<UsageError>([] { linear(matrix(), matrix(), undefined); }, "[linear] " + ending);
  expect_failure<UsageError>([] { clamp_min(matrix(), undefined); }, "[clamp_min] " + ending);
}

TEST(Failures, EveryUnaryOperatorNamesItself) {
  for (const auto& [name, call] : every_unary) {
    const std::string operation = std::string("[") + name + "] ";
    expect_failure<UsageError>([call] { call(1); }, operation + "takes a tensor, not the number 1");
    expect_failure<UsageError>([call] { call(undefined); },
                               operation +
                                   "the tensor is not defined: it was made by Tensor() and nothing was "
                                   "assigned to it");
  }
}

TEST(Failures, EveryBinaryOperatorNamesItself) {
  for (const auto& [name, call] : every_binary) {
    const std::string operation = std::string("[") + name + "] ";
    expect_failure<ShapeError>([call] { call(integers(), ones({4, 5}, cpu(), DType::int64)); },
                               operation + "shapes (2,3) and (4,5) cannot be broadcast");
    expect_failure<DeviceError>([call] { call(integers(), far().to(DType::int64)); },
                                operation +
                                    "tensors are on different devices, cpu:0 and sim:0: move one with "
                                    "to(device)");
    expect_failure<UsageError>([call] { call(1, 2); }, operation + "at least one operand must be a tensor");
    expect_failure<UsageError>([call] { call(integers(), undefined); },
                               operation +
                                   "the tensor is not defined: it was made by Tensor() and nothing was "
                                   "assigned to it");
  }
}

TEST(Failures, NameTheLineOfTheOutermostCall) {
  std::uint32_t line = 0;
  try {
    line = __LINE__ + 1;
    linear(matrix(), ones({4, 3}), far());
    FAIL() << "nothing is thrown";
  } catch (const ShapeError& error) {
    EXPECT_EQ(error.site().line, line);
  }
  line = __LINE__ + 1;
  const Tensor failing = index_select(ones({2}), 0, full({1}, 2));
  try {
    (failing * 2 + 1).wait();
    FAIL() << "nothing is thrown";
  } catch (const IndexError& error) {
    EXPECT_EQ(error.site().line, line);
  }
}

}  // namespace
}  // namespace stretto
