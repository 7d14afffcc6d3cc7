// Elementwise operations of a compiled function that run as one pass over memory.

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <stretto/stretto.h>

#include "ops/compiled.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

using Function = std::function<std::vector<Tensor>(const Tensor&, const Tensor&)>;

class CompilePass : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (device_count(device.kind()) == 0) GTEST_SKIP() << "no CUDA device here";
  }

  const Device device = GetParam();

  /// Numbers from -4 to 4, some twice; `seed` chooses.
  Tensor numbers(const Shape& shape, DType dtype, std::uint64_t seed) const {
    Generator generator(seed);
    return (uniform(generator, -4, 4, shape) * 2.0f).to(dtype).to(device);
  }

  /// Compiled, the function leaves the bits that it leaves plainly, in its results and in its arguments; so many of its
  /// operations are parts of passes.
  void compare(const Function& function, const Tensor& x, const Tensor& y, std::size_t fused) const {
    const auto compiled = compile(function);
    const Tensor plain_x = x.clone(), plain_y = y.clone();
    // Kernels for a GPU are compiled while the function is run.
    constexpr std::uint64_t wanted_replays = 3;
    constexpr std::uint64_t most_calls = 50'000;
    const bool waits = replays() && fused > 0 && device.kind() == DeviceKind::cuda;
    const auto goes_on = [&](std::uint64_t call) {
      return call <= wanted_replays || (waits && call < most_calls && compiled.statistics().replays < wanted_replays);
    };
    for (std::uint64_t call = 0; goes_on(call); ++call) {
      const std::vector<Tensor> got = compiled(x, y), wanted = function(plain_x, plain_y);
      ASSERT_EQ(got.size(), wanted.size());
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(is_same(got[i], wanted[i])) << "result " << i;
      EXPECT_TRUE(is_same(x, plain_x));
      EXPECT_TRUE(is_same(y, plain_y));
      for (const Tensor* tensor : {&x, &plain_x}) *tensor += 1;
    }
    EXPECT_EQ(compiled.statistics().reason, "");
    if (waits) {
      EXPECT_EQ(compiled.statistics().replays, wanted_replays);
    }
    EXPECT_EQ(compiled.statistics().fused, records() && environment().fuse ? fused : 0);
  }

  static bool is_same(const Tensor& one, const Tensor& other) {
    if (one.shape() != other.shape() || one.dtype() != other.dtype()) return false;
    if (one.dtype() == DType::bool_)
      return one.to(DType::uint8).to_vector<std::uint8_t>() == other.to(DType::uint8).to_vector<std::uint8_t>();
    return visit_dtype(one.dtype(), [&]<typename T>(std::type_identity<T>) {
      if constexpr (std::is_same_v<T, bool>) {
        return false;
      } else {
        const std::vector<T> a = one.to_vector<T>(), b = other.to_vector<T>();
        return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
      }
    });
  }
};

/// What reading it throws.
std::string error_of(const Tensor& tensor) {
  try {
    static_cast<void>(tensor.to_vector<std::int32_t>());
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST_P(CompilePass, AChainIsOnePassOfAnySize) {
  const Function chain = [](const Tensor& x, const Tensor& y) {
    return std::vector{clamp_max(maximum(relu(x * 1.5f + y) - x, 0.25f) * y, 2.0f) + 1.0f};
  };
  for (const std::int64_t count : {1, 7, 255, 4096, 100'003}) {
    SCOPED_TRACE(count);
    compare(chain, numbers({count}, DType::float32, 1), numbers({count}, DType::float32, 2), 8);
  }
  compare(chain, numbers({0}, DType::float32, 1), numbers({0}, DType::float32, 2), 0);
}

TEST_P(CompilePass, EachOperationRoundsToItsOwnType) {
  for (const DType dtype : {DType::float16, DType::bfloat16, DType::float64, DType::int32, DType::uint8}) {
    SCOPED_TRACE(name(dtype));
    compare(
        [](const Tensor& x, const Tensor& y) {
          const Tensor product = x * y;
          return std::vector{product * product + x - y};
        },
        numbers({70, 90}, dtype, 1), numbers({70, 90}, dtype, 2), 4);
  }
  // Types change on the way, and masks are read as bytes.
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor narrow = (x + y).to(DType::float16);
        const Tensor mask = (narrow > 0.5f) | (x < y);
        return std::vector{where(mask, narrow.to(DType::float64) * 3.0f, exp(y.to(DType::float64)))};
      },
      numbers({33, 65}, DType::float32, 1), numbers({33, 65}, DType::float32, 2), 10);
}

TEST_P(CompilePass, RowsAndColumnsAreBroadcast) {
  const Function function = [](const Tensor& x, const Tensor& y) {
    const Tensor row = y[0], column = y.slice(1, 0, 1), one = y[1][2];
    return std::vector{(x + row) * column - one};
  };
  for (const auto& [rows, columns] : {std::pair{3, 5}, {2, 30'000}, {30'000, 4}, {200, 300}}) {
    SCOPED_TRACE(rows);
    compare(function, numbers({rows, columns}, DType::float32, 1), numbers({rows, columns}, DType::float32, 2), 3);
  }
  // Three axes that do not join.
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor middle = y.slice(1, 0, 1);
        return std::vector{abs(x * middle) + y};
      },
      numbers({9, 20, 70}, DType::float32, 1), numbers({9, 20, 70}, DType::float32, 2), 3);
  // Rows too short to be worth it.
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor middle = y.slice(1, 0, 1);
        return std::vector{abs(x * middle) + y};
      },
      numbers({50, 3, 4}, DType::float32, 1), numbers({50, 3, 4}, DType::float32, 2), 0);
}

TEST_P(CompilePass, WhatIsChangedInPlaceIsChanged) {
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor step = y * 0.5f;
        x -= step * step;
        return std::vector<Tensor>{};
      },
      numbers({40, 50}, DType::float32, 1), numbers({40, 50}, DType::float32, 2), 3);
  // The momentum is read by what changes x, which has a part of its own in it.
  compare(
      [](const Tensor& x, const Tensor& y) {
        y *= 0.9f;
        y += 0.25f;
        x -= y * 0.1f;
        return std::vector<Tensor>{};
      },
      numbers({40, 50}, DType::float32, 1), numbers({40, 50}, DType::float32, 2), 4);
  // Both are left behind, and are made of the same.
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor sum = x + y;
        return std::vector{sum, sum * 2.0f};
      },
      numbers({40, 50}, DType::float32, 1), numbers({40, 50}, DType::float32, 2), 2);
}

TEST_P(CompilePass, OnlyTheSameElementsMeet) {
  const Tensor square = numbers({60, 60}, DType::float32, 1), other = numbers({60, 60}, DType::float32, 2);
  compare([](const Tensor& x, const Tensor&) { return std::vector{(x + 1.0f).t() * x}; }, square, other, 0);
  compare(
      [](const Tensor& x, const Tensor&) {
        const Tensor sum = x + 1.0f;
        return std::vector{sum.t().contiguous() * 2.0f, sum * 2.0f};
      },
      square, other, 0);
  compare(
      [](const Tensor& x, const Tensor& y) {
        x.slice(0, 1).copy_(x.slice(0, 0, -1) * 2.0f);
        y += y.t();
        return std::vector{x + y};
      },
      square, other, 0);
  // Parts of one tensor.
  compare(
      [](const Tensor& x, const Tensor&) {
        x.slice(0, 0, 30) += x.slice(0, 30, 60) * 2.0f;
        x.slice(0, 30, 60) -= x.slice(0, 0, 30) * 0.5f;
        return std::vector<Tensor>{};
      },
      square, other, 0);
}

TEST_P(CompilePass, WhatSomebodyElseReadsStaysAsItIs) {
  const Tensor x = numbers({30, 40}, DType::float32, 1), y = numbers({30, 40}, DType::float32, 2);
  compare(
      [](const Tensor& x, const Tensor&) {
        const Tensor twice = x * 2.0f;
        return std::vector{twice + 1.0f, sum(twice)};
      },
      x, y, 0);
  // What it reads is overwritten before the rest of the chain.
  compare(
      [](const Tensor& x, const Tensor& y) {
        const Tensor twice = x * 2.0f;
        x.copy_(matmul(y, y.t().slice(1, 0, 30)).slice(1, 0, 1).expand({30, 40}));
        return std::vector{twice + 1.0f};
      },
      x, y, 0);
}

TEST_P(CompilePass, FailuresAreThoseOfTheOperations) {
  const auto compiled = compile([](const Tensor& x, const Tensor& y) {
    const Tensor twice = x * 2 + 1;
    const Tensor quotient = floor_divide(twice, y);
    return std::array{twice, quotient * 2 + 1};
  });
  const Tensor x = numbers({20}, DType::int32, 1);
  for (int call = 0; call < 4; ++call) {
    const Tensor divisor = full({20}, call % 2, device).to(DType::int32);
    const auto [twice, quotient] = compiled(x, divisor);
    EXPECT_TRUE(is_same(twice, x * 2 + 1));
    if (call % 2 == 1) {
      EXPECT_TRUE(is_same(quotient, (x * 2 + 1) * 2 + 1));
    } else {
      const std::string error = error_of(quotient);
      EXPECT_NE(error.find("[floor_divide] integer division by zero, with (20,) int32, (20,) int32 (at "),
                std::string::npos)
          << error;
    }
  }
  EXPECT_EQ(compiled.statistics().fused, records() && environment().fuse ? 4u : 0u);
}

/// What has failed fails what is made of it, and nothing else.
TEST_P(CompilePass, AFailedArgumentLeavesTheRest) {
  const auto compiled = compile([](const Tensor& x, const Tensor& y) {
    const Tensor twice = x * 2;
    return std::array{twice, twice + y};
  });
  const Tensor x = numbers({20}, DType::int32, 1);
  const Tensor zero = full({20}, 0, device).to(DType::int32);
  for (int call = 0; call < 4; ++call) {
    const Tensor failed = floor_divide(x, zero);
    const auto [twice, sum] = compiled(x, call == 0 ? zero : failed);
    EXPECT_TRUE(is_same(twice, x * 2));
    const std::string error = error_of(sum);
    EXPECT_EQ(error.find("[floor_divide] integer division by zero") != std::string::npos, call > 0) << error;
    EXPECT_NE(error_of(failed), "nothing");
  }
}

INSTANTIATE_TEST_SUITE_P(Compile, CompilePass, testing::Values(Device(DeviceKind::cpu, 0), Device(DeviceKind::sim, 0)),
                         device_name);
INSTANTIATE_TEST_SUITE_P(OnCudaDevices, CompilePass, testing::Values(Device(DeviceKind::cuda, 0)), device_name);

}  // namespace
}  // namespace stretto
