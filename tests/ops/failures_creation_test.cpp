#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ops/failures.h"

namespace stretto {
namespace {

/// Those that the process has besides.
std::string gpus() {
  std::string list;
  for (int index = 0; index < device_count(DeviceKind::cuda); ++index)
    list += to_string(Device(DeviceKind::cuda, index)) + ", ";
  return list;
}

TEST(Failures, Creation) {
  expect_failure<ShapeError>([] { zeros({std::int64_t{1} << 40, std::int64_t{1} << 40}); },
                             "[zeros] shape (1099511627776,1099511627776) has more elements than 63 bits can count");
  expect_failure<DeviceError>([] { ones({2}, Device(DeviceKind::sim, 7)); },
                              "[ones] there is no device sim:7; this process has cpu:0, cpu:1, " + gpus() + "sim:0");
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

/// Numbers and lists are made before the operator is entered: their errors name the line alone.
TEST(Failures, NumbersBeyondSixtyThreeBits) {
  constexpr std::uint64_t large = std::uint64_t{1} << 63;
  const std::string text = "9223372036854775808 cannot be represented as int64";
  expect_failure<DTypeError>([] { full({2}, large); }, text);
  expect_failure<DTypeError>([] { arange(large); }, text);
  expect_failure<DTypeError>([] { full_like(matrix(), large); }, text);
  expect_failure<DTypeError>([] { matrix().fill_(large); }, text);
  expect_failure<DTypeError>([] { matrix() + large; }, text);
  expect_failure<DTypeError>([] { clamp(matrix(), 0, large); }, text);
}

TEST(Failures, ListsThatCannotBe) {
  const std::vector<std::int64_t> negative = {2, -1};
  const std::vector<std::int64_t> many(9, 1);
  expect_failure<ShapeError>([&] { zeros(Shape(std::span(negative))); }, "shape (2,-1) has a negative extent");
  expect_failure<ShapeError>([&] { zeros(Shape(std::span(many))); },
                             "9 dimensions are too many: at most 8 are supported");
  expect_failure<ShapeError>([&] { empty({2, -3}); }, "shape (2,-3) has a negative extent");
  expect_failure<ShapeError>([&] { uniform(0, 1, {2, -3}); }, "shape (2,-3) has a negative extent");
  expect_failure<ShapeError>([&] { matrix().permute({0, 1, 2, 3, 4, 5, 6, 7, 8}); },
                             "9 dimensions are too many: at most 8 are supported");
  expect_failure<ShapeError>([] { zeros({-1, 2}); }, "shape (-1,2) has a negative extent");
  expect_failure<ShapeError>([] { ones({1, 1, 1, 1, 1, 1, 1, 1, 1}); },
                             "9 dimensions are too many: at most 8 are supported");
  expect_failure<ShapeError>([] { matrix().reshape({1, 1, 1, 1, 1, 1, 1, 2, 3}); },
                             "9 dimensions are too many: at most 8 are supported");
  expect_failure<ShapeError>([] { sum(matrix(), {0, 1, 2, 3, 4, 5, 6, 7, 8}); },
                             "9 dimensions are too many: at most 8 are supported");
}

}  // namespace
}  // namespace stretto
