// What operators refuse: each wrong call, and the whole message that helps. Shapes, types and devices are refused by
// the call itself; bad values by whatever reads the result.

#include <functional>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <stretto/base/error.h>
#include <stretto/stretto.h>

namespace stretto {
namespace {

/// Expects that `call` throws an Exception whose operation, message and place are these: the place is in this file.
template <class Exception>
void expect_failure(const std::function<void()>& call, const std::string& line) {
  try {
    call();
    ADD_FAILURE() << "nothing is thrown, where was expected: " << line;
  } catch (const Exception& error) {
    const std::string place = " (at " + to_string(error.site()) + ")";
    EXPECT_EQ(std::string(error.what()), line + place);
    EXPECT_EQ(to_string(error.site()).substr(0, 18), "failures_test.cpp:");
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
  }
}

const Tensor& matrix() {
  static const Tensor tensor = ones({2, 3});
  return tensor;
}
const Tensor& other() {
  static const Tensor tensor = ones({4, 5});
  return tensor;
}
const Tensor& integers() {
  static const Tensor tensor = ones({2, 3}, cpu(), DType::int64);
  return tensor;
}
const Tensor& truths() {
  static const Tensor tensor = ones({2, 3}, cpu(), DType::bool_);
  return tensor;
}
const Tensor& far() {
  static const Tensor tensor = ones({2, 3}, sim());
  return tensor;
}
const Tensor undefined;

TEST(Failures, ShapesThatCannotBeBroadcast) {
  expect_failure<ShapeError>([] { add(matrix(), other()); }, "[add] shapes (2,3) and (4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { matrix() * other(); }, "[mul] shapes (2,3) and (4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { matrix() == other(); }, "[eq] shapes (2,3) and (4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { where(truths(), matrix(), other()); },
                             "[where] shapes (2,3) and (4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { relu_backward(matrix(), other()); },
                             "[relu_backward] shapes (2,3) and (4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { allclose(matrix(), other()); },
                             "[allclose] shapes (2,3) and (4,5) cannot be broadcast");
}

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

/// Each operator of one operand, by its name.
TEST(Failures, EveryUnaryOperatorNamesItself) {
  using Call = Tensor (*)(const Operand&);
  const std::pair<const char*, Call> all[] = {{"neg", &neg},
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
  for (const auto& [name, call] : all) {
    const std::string operation = "[" + std::string(name) + "] ";
    expect_failure<UsageError>([call] { call(1); }, operation + "takes a tensor, not the number 1");
    expect_failure<UsageError>([call] { call(undefined); },
                               operation +
                                   "the tensor is not defined: it was made by Tensor() and nothing was "
                                   "assigned to it");
  }
}

/// Each operator of two operands, by its name.
TEST(Failures, EveryBinaryOperatorNamesItself) {
  using Call = Tensor (*)(const Operand&, const Operand&);
  const std::pair<const char*, Call> all[] = {{"add", &add},
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
  for (const auto& [name, call] : all) {
    const std::string operation = "[" + std::string(name) + "] ";
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

TEST(Failures, MoreMemoryThanThereIs) {
  const std::string limit = std::to_string(memory_stats(cpu()).limit);
  expect_failure<OutOfMemoryError>(
      [] { zeros({1 << 24, 1 << 24}); },
      "[zeros] (16777216,16777216) float32 takes 1125899906842624 bytes, and cpu:0 has " + limit + " in all");
  const Tensor row = ones({1, 1 << 24}), column = ones({1 << 24, 1});
  expect_failure<OutOfMemoryError>(
      [&] { row + column; },
      "[add] (16777216,16777216) float32 takes 1125899906842624 bytes, and cpu:0 has " + limit + " in all");
  expect_failure<OutOfMemoryError>(
      [&] { matmul(column, row); },
      "[matmul] (16777216,16777216) float32 takes 1125899906842624 bytes, and cpu:0 has " + limit + " in all");
  EXPECT_EQ(sum(row).item<float>(), 1 << 24);
}

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

TEST(Failures, NumbersThatDoNotFit) {
  const Tensor bytes = ones({2}, cpu(), DType::uint8);
  const Tensor mask = ones({2}, cpu(), DType::bool_);
  expect_failure<DTypeError>([] { full({2}, 300, cpu(), DType::uint8); }, "[full] 300 cannot be represented as uint8");
  expect_failure<DTypeError>([&] { full_like(bytes, -1); }, "[full_like] -1 cannot be represented as uint8");
  expect_failure<DTypeError>([&] { masked_fill(bytes, mask, 256); },
                             "[masked_fill] 256 cannot be represented as uint8");
  expect_failure<DTypeError>([&] { clamp(bytes, -1, 3); }, "[clamp] -1 cannot be represented as uint8");
  expect_failure<DTypeError>([&] { clamp_max(bytes, 1000); }, "[clamp_max] 1000 cannot be represented as uint8");
  expect_failure<DTypeError>([] { arange(250, 260, 1, cpu(), DType::uint8); },
                             "[arange] 259 cannot be represented as uint8");
  expect_failure<DTypeError>([] { randint(0, 257, {2}, cpu(), DType::uint8); },
                             "[randint] 256 cannot be represented as uint8");
  expect_failure<DTypeError>([] { randint(0, 3, {2}, cpu(), DType::bool_); }, "[randint] bool holds 0 and 1 alone");
}

TEST(Failures, AxesThatAreNotThere) {
  expect_failure<IndexError>([] { sum(matrix(), 2); }, "[sum] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { max(matrix(), {0, -3}); },
                             "[max] axis -3 is out of range for a tensor of 2 dimensions");
  expect_failure<ShapeError>([] { mean(matrix(), {1, -1}); }, "[mean] axis -1 is named twice in (1,-1)");
  expect_failure<IndexError>([] { std(matrix(), 5); }, "[std] axis 5 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { argmin(matrix(), 2); },
                             "[argmin] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { cumsum(matrix(), 2); },
                             "[cumsum] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { sort(matrix(), 2); }, "[sort] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { log_softmax(ones({}), 1); },
                             "[log_softmax] axis 1 is out of range for a tensor of 0 dimensions");
  expect_failure<IndexError>([] { concat({matrix()}, 2); },
                             "[concat] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { stack({matrix()}, 3); },
                             "[stack] axis 3 is out of range for a tensor of 3 dimensions");
  expect_failure<IndexError>([] { chunk(matrix(), 2, 2); },
                             "[chunk] axis 2 is out of range for a tensor of 2 dimensions");
  expect_failure<IndexError>([] { index_select(matrix(), 2, zeros({1}, cpu(), DType::int64)); },
                             "[index_select] axis 2 is out of range for a tensor of 2 dimensions");
}

TEST(Failures, NothingToReduce) {
  const Tensor none = zeros({0, 3});
  expect_failure<ShapeError>([&] { max(none); }, "[max] shape (0,3) has no elements along the axes to reduce");
  expect_failure<ShapeError>([&] { min(none, 0); }, "[min] shape (0,3) has no elements along the axes to reduce");
  expect_failure<ShapeError>([&] { argmax(none); }, "[argmax] shape (0,3) has no elements along the axis to search");
  expect_failure<ShapeError>([&] { norm(none, {}, false, std::numeric_limits<double>::infinity()); },
                             "[norm] shape (0,3) has no elements along the axes to reduce");
  EXPECT_EQ(max(none, 1).shape(), Shape{0});
}

TEST(Failures, ShapesOfProducts) {
  expect_failure<ShapeError>([] { matmul(matrix(), other()); },
                             "[matmul] shapes (2,3) and (4,5) do not match: 3 columns against 4 rows");
  expect_failure<ShapeError>([] { matmul(ones({3}), ones({4})); },
                             "[matmul] shapes (3,) and (4,) do not match: 3 columns against 4 rows");
  expect_failure<ShapeError>([] { matmul(ones({}), matrix()); },
                             "[matmul] takes at least one axis on each side, not shapes () and (2,3)");
  expect_failure<ShapeError>([] { matmul(ones({2, 3, 4}), ones({3, 4, 5})); },
                             "[matmul] leading axes of shapes (2,3,4) and (3,4,5) cannot be broadcast");
  expect_failure<ShapeError>([] { addmm(matrix(), ones({3}), matrix()); },
                             "[addmm] takes the product of two matrices, not of shapes (3,) and (2,3)");
  expect_failure<ShapeError>([] { addmm(ones({7}), matrix(), ones({3, 4})); },
                             "[addmm] shape (7,) cannot be broadcast to (2,4)");
  expect_failure<ShapeError>(
      [] { linear(matrix(), other()); },
      "[linear] takes x (..., inputs) and a weight (outputs, inputs), not shapes (2,3) and (4,5)");
  expect_failure<ShapeError>([] { linear(matrix(), ones({4, 3}), ones({3})); },
                             "[linear] a weight (4,3) takes a bias of shape (4,), not (3,)");
  expect_failure<ShapeError>([] { tril(ones({3})); }, "[tril] takes matrices, not shape (3,)");
}

TEST(Failures, ShapesOfOthers) {
  expect_failure<ShapeError>([] { masked_fill(matrix(), truths(), ones({1})); },
                             "[masked_fill] the value must be one number, not of shape (1,)");
  expect_failure<ShapeError>([] { softmax_backward(matrix(), other(), 0); },
                             "[softmax_backward] the gradient is of shape (2,3) and the result of (4,5)");
  expect_failure<ShapeError>([] { topk(matrix(), 4); }, "[topk] there are no 4 elements along axis -1 of shape (2,3)");
  expect_failure<ShapeError>([] { topk(ones({}), 1); }, "[topk] takes a tensor with at least one axis");
  expect_failure<ShapeError>([] { cross_entropy(ones({3}), ones({3}, cpu(), DType::int64)); },
                             "[cross_entropy] takes logits of shape (rows, classes), not (3,)");
  expect_failure<ShapeError>([] { cross_entropy(matrix(), ones({3}, cpu(), DType::int64)); },
                             "[cross_entropy] logits (2,3) need one label a row, of shape (2,), not (3,)");
  expect_failure<ShapeError>([] { cross_entropy_backward(ones({2}), matrix(), zeros({2}, cpu(), DType::int64)); },
                             "[cross_entropy_backward] the gradient of the loss is of shape (), not (2,)");
  expect_failure<ShapeError>([] { concat({matrix(), other()}); },
                             "[concat] shapes (2,3) and (4,5) differ on another axis than 0");
  expect_failure<ShapeError>([] { concat({ones({})}); },
                             "[concat] tensors of rank 0 have no axis to join along: stack them");
  expect_failure<UsageError>([] { concat({}); }, "[concat] there is no tensor to join");
  expect_failure<ShapeError>([] { stack({matrix(), other()}); }, "[stack] shapes (2,3) and (4,5) differ");
  expect_failure<UsageError>([] { split(matrix(), 0); }, "[split] the size of a piece must be positive, not 0");
  expect_failure<UsageError>([] { chunk(matrix(), -1); }, "[chunk] the number of chunks must be positive, not -1");
  expect_failure<ShapeError>([] { split_with_sizes(matrix(), {1, 2}); },
                             "[split_with_sizes] pieces of 1 + 2 do not make up an axis of 2");
  expect_failure<ShapeError>([] { gather(matrix(), 1, ones({3, 1}, cpu(), DType::int64)); },
                             "[gather] x and index of shapes (2,3) and (3,1) must have one rank, and the index be no "
                             "longer but along axis 1");
  expect_failure<ShapeError>([] { index_select(matrix(), 0, integers()); },
                             "[index_select] the index must be a vector, not of shape (2,3)");
  expect_failure<ShapeError>([] { index_add(matrix(), 0, zeros({1}, cpu(), DType::int64), matrix()); },
                             "[index_add] the source must be of shape (1,3), not (2,3)");
  expect_failure<UsageError>([] { one_hot(integers(), 0); }, "[one_hot] the number of classes must be positive, not 0");
}

TEST(Failures, Creation) {
  expect_failure<ShapeError>([] { zeros({std::int64_t{1} << 40, std::int64_t{1} << 40}); },
                             "[zeros] shape (1099511627776,1099511627776) has more elements than 63 bits can count");
  expect_failure<DeviceError>([] { ones({2}, Device(DeviceKind::sim, 7)); },
                              "[ones] there is no device sim:7; this process has cpu:0, cpu:1, sim:0");
  expect_failure<UsageError>([] { arange(0, 5, 0); }, "[arange] a step of 0 does not lead from 0 to 5");
  expect_failure<UsageError>([] { arange(5, 0); }, "[arange] a step of 1 does not lead from 5 to 0");
  expect_failure<UsageError>([] { arange(0.5, 0.0, 0.25); }, "[arange] a step of 0.25 does not lead from 0.5 to 0");
  expect_failure<UsageError>([] { arange(0.0, std::numeric_limits<double>::infinity()); },
                             "[arange] there are too many numbers from 0 to inf");
  expect_failure<UsageError>([] { linspace(0, 1, -1); }, "[linspace] there cannot be -1 steps");
  expect_failure<ShapeError>([] { eye(-1); }, "[eye] shape (-1,-1) has a negative extent");
  expect_failure<UsageError>([] { uniform(1, 0, {2}); }, "[uniform] there is no range from 1 to 0");
  expect_failure<UsageError>([] { normal(0, -1, {2}); }, "[normal] the standard deviation cannot be -1");
  expect_failure<UsageError>([] { randint(3, 3, {2}); }, "[randint] there is no integer from 3 up to and without 3");
}

TEST(Failures, NegativePowersOfIntegers) {
  expect_failure<UsageError>(
      [] { pow(integers(), -1); },
      "[pow] integers cannot be raised to the negative power -1: convert to a floating type first");
  EXPECT_EQ(pow(integers(), -1.0).dtype(), DType::float32);
}

/// Values are looked at when the operator runs, so that reading the result throws.
TEST(Failures, ValuesAreRefusedWhenTheyAreRead) {
  const Tensor five = ones({5});
  const auto index = [](std::int64_t value) { return full({1}, value); };
  expect_failure<IndexError>(
      [&] { index_select(five, 0, index(7)).wait(); },
      "[index_select] index 7 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  expect_failure<IndexError>(
      [&] { gather(five, 0, index(-1)).wait(); },
      "[gather] index -1 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  expect_failure<IndexError>(
      [&] { index_add(five, 0, index(5), ones({1})).wait(); },
      "[index_add] index 5 is out of range for axis 0 with extent 5, with (1,) int64, (1,) float32");
  expect_failure<IndexError>([&] { one_hot(index(3), 3).wait(); },
                             "[one_hot] index 3 is out of range for 3 classes, with (1,) int64");
  expect_failure<IndexError>(
      [&] { cross_entropy(ones({1, 3}), index(3)).wait(); },
      "[cross_entropy] label 3 of row 0 is out of range for 3 classes, with (1,3) float32, (1,) int64");
  expect_failure<UsageError>([&] { floor_divide(integers(), 0).wait(); },
                             "[floor_divide] integer division by zero, with (2,3) int64, a number");
  expect_failure<UsageError>([&] { (integers() % zeros_like(integers())).wait(); },
                             "[remainder] integer division by zero, with (2,3) int64, (2,3) int64");
  expect_failure<UsageError>(
      [&] { pow(integers(), full_like(integers(), -1)).wait(); },
      "[pow] an integer cannot be raised to a negative power: convert to a floating dtype first, with (2,3) "
      "int64, (2,3) int64");
  // What depends on it fails with it, and names the operator that failed.
  expect_failure<IndexError>(
      [&] { (index_select(five, 0, index(9)) + 1).item<float>(); },
      "[index_select] index 9 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
  // The reading by allclose does not take the failure over.
  expect_failure<IndexError>(
      [&] { allclose(index_select(five, 0, index(9)), 1); },
      "[index_select] index 9 is out of range for axis 0 with extent 5, with (5,) float32, (1,) int64");
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
