#include <random>

#include "tensor/testing.h"

namespace stretto {
namespace {

class OverlapOn : public OnEachDevice {};
INSTANTIATE_ON_EACH_DEVICE(OverlapOn);

/// Case O9: reading and writing overlapping views of one storage is as if all had been read first.
TEST_P(OverlapOn, O9AddingTheTransposeReadsAllBeforeItWrites) {
  for (const std::int64_t n : {91, 512}) {
    const Tensor x = filled<float>({n, n}, 1, device());
    x += x.t();
    EXPECT_EQ(x.to_vector<float>(), repeated<float>(n * n, 2));
  }
  const Tensor x = from_vector<float>({1, 2, 3, 4}, {2, 2}, device());
  x += x.t();
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 5, 5, 8}));
}

/// The same behind a task that is still running, many times over, without a wait.
TEST_P(OverlapOn, O9IsRightBehindASlowTask) {
  std::vector<Tensor> results;
  for (int round = 0; round < 200; ++round) {
    const Tensor x = slowly_filled({3, 3}, static_cast<float>(round), device(), round % 20 == 0 ? 5 : 0);
    x += x.t();
    x.slice(0, 1) = x.slice(0, 0, -1);
    x.select(1, 0) = x.select(1, 0);
    x[0] += 1;
    x.slice(0, 1) = x.slice(0, 0, -1);
    results.push_back(x);
  }
  for (int round = 0; round < 200; ++round) {
    const auto twice = static_cast<float>(2 * round);
    EXPECT_EQ(
        results[static_cast<std::size_t>(round)].to_vector<float>(),
        (std::vector<float>{twice + 1, twice + 1, twice + 1, twice + 1, twice + 1, twice + 1, twice, twice, twice}));
  }
}

TEST_P(OverlapOn, O9ShiftingRowsMovesEachOnce) {
  constexpr std::int64_t rows = 1024, columns = 2048;
  const Tensor x = empty({rows, columns}, device());
  for (std::int64_t row = 0; row < rows; ++row) x[row].fill_(row);
  x.slice(0, 1) = x.slice(0, 0, -1);
  const std::vector<float> values = x.select(1, columns - 1).to_vector<float>();
  for (std::int64_t row = 0; row < rows; ++row)
    ASSERT_EQ(values[static_cast<std::size_t>(row)], static_cast<float>(row == 0 ? 0 : row - 1));
}

TEST_P(OverlapOn, O9SelfAssignmentChangesNothing) {
  const Tensor w = counting({5, 4}, device());
  w.select(1, 0) = w.select(1, 0);
  EXPECT_EQ(w.to_vector<float>(), counting({5, 4}).to_vector<float>());
  w.copy_(w);
  EXPECT_EQ(w.to_vector<float>(), counting({5, 4}).to_vector<float>());
}

TEST_P(OverlapOn, O9AddingATensorToItselfDoublesIt) {
  const Tensor x = counting({100}, device());
  x += x;
  const std::vector<float> values = x.to_vector<float>();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(2 * i));
}

TEST_P(OverlapOn, FlippingInPlaceReadsAllBeforeItWrites) {
  const Tensor x = counting({9}, device());
  x.slice(0) = x.slice(0, std::nullopt, std::nullopt, -1);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

TEST_P(OverlapOn, AddingABroadcastRowOfItself) {
  const Tensor x = counting({3, 2}, device());
  x += x[0];
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 2, 2, 4, 4, 6}));
}

/// Random slices of one tensor are copied onto each other; plain loops say what comes out.
TEST_P(OverlapOn, RandomCopiesWithinOneTensorAgreeWithLoops) {
  std::mt19937 random(5);
  constexpr std::int64_t extent = 12;
  const Tensor x = counting({extent, extent}, device());
  std::vector<float> expected = x.to_vector<float>();
  for (int round = 0; round < 100; ++round) {
    const auto below = [&](std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<unsigned>(n)); };
    const std::int64_t height = 1 + below(8), width = 1 + below(8);
    const std::int64_t from_row = below(extent - height + 1), from_column = below(extent - width + 1);
    const std::int64_t to_row = below(extent - height + 1), to_column = below(extent - width + 1);
    const bool turned = height == width && below(2) == 1;
    const Tensor source = x.narrow(0, from_row, height).narrow(1, from_column, width);
    x.narrow(0, to_row, height).narrow(1, to_column, width) = turned ? source.t() : source;
    const std::vector<float> before = expected;
    for (std::int64_t i = 0; i < height; ++i) {
      for (std::int64_t j = 0; j < width; ++j) {
        const std::int64_t row = from_row + (turned ? j : i), column = from_column + (turned ? i : j);
        expected[static_cast<std::size_t>((to_row + i) * extent + to_column + j)] =
            before[static_cast<std::size_t>(row * extent + column)];
      }
    }
  }
  EXPECT_EQ(x.to_vector<float>(), expected);
}

}  // namespace
}  // namespace stretto
