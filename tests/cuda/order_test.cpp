// Sorting on CUDA devices gives the CPU's order: of equals, of NaN, of zeros with a sign, along every axis.

#include <cstring>
#include <limits>
#include <vector>

#include "cuda/cuda_programs.h"

namespace stretto {
namespace {

using CudaOrder = CudaPrograms;

void expect_same(const SortResult& there, const SortResult& here) {
  visit_dtype(here.values.dtype(), [&]<class T>(std::type_identity<T>) {
    const std::vector<T> expected = here.values.to_vector<T>(), found = there.values.to_vector<T>();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const T a = found[i], b = expected[i];
      ASSERT_EQ(std::memcmp(&a, &b, sizeof(T)), 0) << "element " << i;
    }
  });
  EXPECT_EQ(there.indices.to_vector<std::int64_t>(), here.indices.to_vector<std::int64_t>());
}

void expect_sorts_alike(const Tensor& x, std::int64_t axis) {
  const Tensor there = x.to(gpu(0));
  for (const bool descending : {false, true}) {
    expect_same(sort(there, axis, descending), sort(x, axis, descending));
    EXPECT_EQ(argsort(there, axis, descending).to_vector<std::int64_t>(),
              argsort(x, axis, descending).to_vector<std::int64_t>());
    const std::int64_t few = std::min<std::int64_t>(3, x.size(axis));
    expect_same(topk(there, few, axis, descending), topk(x, few, axis, descending));
  }
}

TEST_F(CudaOrder, EqualsKeepTheirOrder) {
  const Tensor x = randint(0, 7, {50'000});
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::int64, DType::int32,
                            DType::uint8, DType::bool_}) {
    expect_sorts_alike(x.to(dtype), 0);
  }
}

TEST_F(CudaOrder, NanIsLargestAndZeroHasNoSign) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  const Tensor x = from_vector<float>({1, nan, -0.0f, 0.0f, -infinity, infinity, -nan, -1, 0.0f, -0.0f, 1e-42f}, {11});
  for (const DType dtype : {DType::float64, DType::float32, DType::float16, DType::bfloat16})
    expect_sorts_alike(x.to(dtype), 0);
}

TEST_F(CudaOrder, LinesAreSortedByThemselves) {
  const Tensor x = normal({37, 5, 129});
  for (const std::int64_t axis : {0, 1, 2}) expect_sorts_alike(x, axis);
  expect_sorts_alike(x.transpose(0, 2).slice(1, 1, 5, 2), 1);
  expect_sorts_alike(randint(-1000, 1000, {1, 70'000}), 1);
  expect_sorts_alike(randint(-1000, 1000, {70'000, 1}), 1);
}

TEST_F(CudaOrder, TheExtremesOfIntegersAreInPlace) {
  using Limits = std::numeric_limits<std::int64_t>;
  expect_sorts_alike(from_vector<std::int64_t>({0, Limits::max(), Limits::min(), -1, 1, Limits::min() + 1}, {6}), 0);
  expect_sorts_alike(from_vector<std::int32_t>({0, 2147483647, -2147483647 - 1, -1, 1}, {5}), 0);
}

}  // namespace
}  // namespace stretto
