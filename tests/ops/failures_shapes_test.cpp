#include <limits>

#include "ops/failures.h"

namespace stretto {
namespace {

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
  expect_failure<ShapeError>([] { addmm_relu(ones({7}), matrix(), ones({3, 4})); },
                             "[addmm_relu] shape (7,) cannot be broadcast to (2,4)");
  expect_failure<ShapeError>([] { matmul_relu_backward(ones({3}), matrix(), matrix()); },
                             "[matmul_relu_backward] takes the product of two matrices, not of shapes (3,) and (2,3)");
  expect_failure<ShapeError>([] { matmul_relu_backward(matrix(), matrix(), matrix()); },
                             "[matmul_relu_backward] shapes (2,3) and (2,3) do not match: 3 columns against 2 rows");
  expect_failure<ShapeError>([] { matmul_relu_backward(matrix(), ones({3, 4}), ones({4})); },
                             "[matmul_relu_backward] the gradient of relu(x) is of shape (2,4), and x of (4,)");
  expect_failure<ShapeError>([] { linear_relu(matrix(), ones({4, 3}), ones({3})); },
                             "[linear_relu] a weight (4,3) takes a bias of shape (4,), not (3,)");
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

}  // namespace
}  // namespace stretto
