#include "ops/failures.h"

namespace stretto {
namespace {

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

/// Whatever makes a result as large as what it is given says what that is.
TEST(Failures, EveryOperatorNamesTheResultThatIsTooLarge) {
  const Tensor x = ones({1, 1}).expand({1 << 24, 1 << 24});
  const Tensor whole = ones({1, 1}, cpu(), DType::int64).expand({1 << 24, 1 << 24});
  const Tensor truth = ones({1, 1}, cpu(), DType::bool_).expand({1 << 24, 1 << 24});
  const Tensor index = zeros({1}, cpu(), DType::int64).expand({1 << 24});
  const std::string limit = std::to_string(memory_stats(cpu()).limit);
  const auto too_large = [&](const std::string& operation, DType dtype, const std::function<void()>& call,
                             CallSite here = std::source_location::current()) {
    expect_failure<OutOfMemoryError>(
        call,
        "[" + operation + "] (16777216,16777216) " + std::string(name(dtype)) + " takes " +
            std::to_string((std::int64_t{1} << 48) * static_cast<std::int64_t>(item_size(dtype))) +
            " bytes, and cpu:0 has " + limit + " in all",
        here);
  };
  for (const auto& [operation, call] : every_unary) {
    const bool bits = std::string_view(operation) == "bitwise_not";
    const DType result = call(bits ? integers() : matrix()).dtype();
    too_large(operation, result, [&, call = call] { call(bits ? whole : x); });
  }
  for (const auto& [operation, call] : every_binary)
    too_large(operation, call(integers(), 3).dtype(), [&, call = call] { call(whole, 3); });

  const DType type = DType::float32;
  too_large("where", type, [&] { where(truth, x, 2); });
  too_large("masked_fill", type, [&] { masked_fill(x, truth, 2); });
  too_large("clamp", type, [&] { clamp(x, 0, 1); });
  too_large("relu_backward", type, [&] { relu_backward(x, x); });
  too_large("softmax", type, [&] { softmax(x, 0); });
  too_large("log_softmax", type, [&] { log_softmax(x, 1); });
  too_large("softmax_backward", type, [&] { softmax_backward(x, x, 0); });
  too_large("cross_entropy_backward", type, [&] { cross_entropy_backward(ones({}), x, index); });
  too_large("cumsum", type, [&] { cumsum(x, 0); });
  too_large("cumprod", type, [&] { cumprod(x, 1); });
  too_large("sort", type, [&] { sort(x); });
  too_large("argsort", type, [&] { argsort(x); });
  too_large("topk", type, [&] { topk(x, 1 << 24); });
  too_large("tril", type, [&] { tril(x); });
  too_large("triu", type, [&] { triu(x); });
  too_large("index_select", type, [&] { index_select(x, 0, index); });
  too_large("gather", type, [&] { gather(x, 0, whole); });
  too_large("one_hot", DType::int64, [&] { one_hot(index, 1 << 24); });
  too_large("index_add", type, [&] { index_add(x, 0, index, x); });
  too_large("concat", type, [&] { concat({x}); });
  too_large("empty_like", type, [&] { empty_like(x); });
  too_large("zeros_like", type, [&] { zeros_like(x); });
  too_large("full_like", type, [&] { full_like(x, 3); });
  too_large("clone", type, [&] { x.clone(); });
  too_large("contiguous", type, [&] { x.contiguous(); });
  too_large("to", DType::float64, [&] { x.to(DType::float64); });
  too_large("to", type, [&] { x.to(sim()); });
  too_large("to_vector", type, [&] { x.to_vector<float>(); });
  too_large("host", type, [&] { x.host<float>(); });
  too_large("linear", type, [&] { linear(ones({1 << 24, 1}), ones({1 << 24, 1})); });
  too_large("addmm", type, [&] { addmm(ones({1}), ones({1 << 24, 1}), ones({1, 1 << 24})); });
  too_large("linear_relu", type, [&] { linear_relu(ones({1 << 24, 1}), ones({1 << 24, 1}), ones({1 << 24})); });
  too_large("addmm_relu", type, [&] { addmm_relu(ones({1}), ones({1 << 24, 1}), ones({1, 1 << 24})); });
  too_large("eye", type, [&] { eye(1 << 24); });
  too_large("uniform", type, [&] { uniform(0, 1, {1 << 24, 1 << 24}); });
  too_large("normal", type, [&] { normal(0, 1, {1 << 24, 1 << 24}); });
  too_large("randint", DType::int64, [&] { randint(0, 9, {1 << 24, 1 << 24}); });
  too_large("empty", type, [&] { empty({1 << 24, 1 << 24}); });
  too_large("full", DType::int64, [&] { full({1 << 24, 1 << 24}, 4); });
}

}  // namespace
}  // namespace stretto
