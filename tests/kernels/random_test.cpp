#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include "kernels/parameters.h"
#include "kernels/philox.h"
#include "kernels/test_array.h"
#include "kernels/test_context.h"

namespace stretto {
namespace {

// The published test vectors of Random123.
TEST(Philox, GivesThePublishedNumbers) {
  const auto words = [](std::uint64_t key, std::uint64_t draw, std::uint64_t block) {
    const PhiloxBlock result = philox(key, draw, block);
    return std::vector<std::uint32_t>(result.words, result.words + 4);
  };
  constexpr std::uint64_t ones = ~std::uint64_t{0};
  EXPECT_EQ(words(0, 0, 0), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(ones, ones, ones), (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

constexpr std::uint64_t key = 0x123456789abcdef;
constexpr std::uint64_t draw = 3'000'000'000'000;

TestArray sample(const std::string& distribution, DType dtype, std::vector<std::int64_t> shape,
                 RandomParameters parameters, TestLayout layout = TestLayout::contiguous) {
  TestArray result(dtype, std::move(shape), layout);
  ThreadsContext threads;
  run_kernel(distribution, {result.array()}, {}, threads, parameters);
  return result;
}

RandomParameters between(double low, double high) { return {key, draw, low, high, 0, 0}; }
RandomParameters between_integers(std::int64_t low, std::int64_t high) { return {key, draw, 0, 0, low, high}; }

TEST(Random, ElementsAreFunctionsOfKeyDrawAndIndex) {
  constexpr std::int64_t count = 20'001;
  const TestArray uniform = sample("uniform", DType::float32, {count}, between(-1, 3));
  const TestArray wide = sample("uniform", DType::float64, {count}, between(-1, 3));
  const TestArray normal = sample("normal", DType::float64, {count}, between(10, 2));
  const TestArray narrow_normal = sample("normal", DType::float32, {count}, between(10, 2));
  const TestArray integers = sample("randint", DType::int64, {count}, between_integers(-100, 1'000'000));
  for (std::int64_t i = 0; i < count; ++i) {
    const PhiloxBlock four = philox(key, draw, static_cast<std::uint64_t>(i / 4));
    const PhiloxBlock two = philox(key, draw, static_cast<std::uint64_t>(i / 2));
    ASSERT_EQ(uniform.get<float>(i), static_cast<float>(-1 + 4 * ((four.words[i % 4] >> 8) * 0x1p-24)));
    const double unit = static_cast<double>(two.wide(static_cast<int>(i % 2)) >> 11) * 0x1p-53;
    ASSERT_EQ(wide.get<double>(i), -1 + 4 * unit);
    const long double share = static_cast<long double>(two.wide(static_cast<int>(i % 2))) * 0x1p-64L;
    ASSERT_EQ(integers.get<std::int64_t>(i), -100 + static_cast<std::int64_t>(share * 1'000'100));

    const auto box_muller = [&](double u, double v) {
      const double angle = 2 * M_PI * v;
      return 10 + 2 * std::sqrt(-2 * std::log(u)) * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
    };
    ASSERT_NEAR(normal.get<double>(i),
                box_muller(static_cast<double>((two.wide(0) >> 11) + 1) * 0x1p-53,
                           static_cast<double>(two.wide(1) >> 11) * 0x1p-53),
                1e-12);
    const int pair = static_cast<int>(i / 2 % 2);
    ASSERT_NEAR(narrow_normal.get<float>(i),
                box_muller((four.words[2 * pair] + 1.0) * 0x1p-32, four.words[2 * pair + 1] * 0x1p-32), 1e-6);
  }
}

TEST(Random, DependsNotOnLayoutOrChunks) {
  for (const std::string distribution : {"uniform", "normal", "randint"}) {
    for (int i = 0; i < 8; ++i) {
      const DType dtype = static_cast<DType>(i);
      if (distribution != "randint" && !is_floating(dtype)) continue;
      const RandomParameters parameters{key, draw, 0, 1, 0, 2};
      const TestArray expected = sample(distribution, dtype, {100, 200}, parameters);
      const auto bytes = expected.contents();
      for (const TestLayout layout : all_layouts) {
        const TestArray result = sample(distribution, dtype, {100, 200}, parameters, layout);
        ASSERT_EQ(result.contents(), bytes) << distribution << " " << name(dtype);
        ASSERT_TRUE(result.gaps_untouched());
      }
      for (const std::int64_t length :
           {0, 1, 2, 3, 5, 17, 255, 257, 9000}) {  // a shorter draw is the beginning of a longer one
        const auto shorter = sample(distribution, dtype, {length}, parameters).contents();
        ASSERT_TRUE(std::equal(shorter.begin(), shorter.end(), bytes.begin())) << distribution << " " << name(dtype);
      }
    }
  }
}

TEST(Random, OtherKeysAndDrawsGiveOtherNumbers) {
  const auto a = sample("uniform", DType::float32, {8}, {1, 2, 0, 1, 0, 0}).contents();
  EXPECT_NE(a, sample("uniform", DType::float32, {8}, {2, 2, 0, 1, 0, 0}).contents());
  EXPECT_NE(a, sample("uniform", DType::float32, {8}, {1, 3, 0, 1, 0, 0}).contents());
  EXPECT_EQ(a, sample("uniform", DType::float32, {8}, {1, 2, 0, 1, 0, 0}).contents());
}

TEST(Random, UniformStaysBelowHigh) {
  for (const DType dtype : {DType::float32, DType::float64, DType::float16, DType::bfloat16}) {
    visit_dtype(dtype, [&]<class T>(std::type_identity<T>) {
      for (const auto& [low, high] :
           {std::pair<double, double>{0, 1}, {-1, 0}, {1000, 1001}, {-3, -2.9}, {-1e-3, 1e-3}, {5, 5}}) {
        const TestArray x = sample("uniform", dtype, {200'000}, between(low, high));
        double smallest = INFINITY;
        double largest = -INFINITY;
        for (std::int64_t i = 0; i < x.size(); ++i) {
          const double value = static_cast<double>(x.get<T>(i));
          smallest = std::min(smallest, value);
          largest = std::max(largest, value);
        }
        EXPECT_GE(smallest, static_cast<double>(static_cast<T>(low))) << name(dtype) << " " << low << " " << high;
        const bool can_stay_below = low < high && static_cast<double>(static_cast<T>(low)) < high;
        EXPECT_TRUE(largest < high || !can_stay_below) << name(dtype) << " " << low << " " << high;
      }
    });
  }
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(const TestArray& x) {
  Moments result;
  for (std::int64_t i = 0; i < x.size(); ++i) result.mean += x.get<float>(i) / static_cast<double>(x.size());
  for (std::int64_t i = 0; i < x.size(); ++i) {
    result.deviation += std::pow(x.get<float>(i) - result.mean, 2) / static_cast<double>(x.size());
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

TEST(Random, HasTheMomentsOfItsDistribution) {
  const Moments uniform = moments(sample("uniform", DType::float32, {200'000}, between(2, 4)));
  EXPECT_NEAR(uniform.mean, 3, 0.005);
  EXPECT_NEAR(uniform.deviation, 1 / std::sqrt(3.0), 0.005);
  const TestArray x = sample("normal", DType::float32, {200'000}, between(-1, 2));
  const Moments normal = moments(x);
  EXPECT_NEAR(normal.mean, -1, 0.02);
  EXPECT_NEAR(normal.deviation, 2, 0.02);
  std::int64_t inside = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) inside += std::abs(x.get<float>(i) + 1) < 2;
  EXPECT_NEAR(static_cast<double>(inside) / 200'000, 0.6827, 0.005);
}

TEST(Random, IntegersCoverTheirRangeEvenly) {
  for (int i = 0; i < 8; ++i) {
    visit_dtype(static_cast<DType>(i), [&]<class T>(std::type_identity<T>) {
      const int high = std::is_same_v<T, bool> ? 2 : 7;
      const TestArray x = sample("randint", dtype_of<T>(), {70'000}, between_integers(0, high));
      std::vector<int> counts(static_cast<std::size_t>(high), 0);
      for (std::int64_t k = 0; k < x.size(); ++k)
        ++counts.at(static_cast<std::size_t>(static_cast<double>(x.get<T>(k))));
      for (const int count : counts) EXPECT_NEAR(count, 70'000 / high, 500) << name(dtype_of<T>());
    });
  }
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  const TestArray x = sample("randint", DType::int64, {1000}, between_integers(lowest, highest));
  const auto values = x.values<std::int64_t>();
  EXPECT_LT(*std::min_element(values.begin(), values.end()), lowest / 2);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), highest / 2);
}

TEST(Random, DistributionsOfRealNumbersNeedAFloatingType) {
  try {
    sample("normal", DType::int32, {3}, between(0, 1));
    ADD_FAILURE();
  } catch (const DTypeError& error) {
    EXPECT_EQ(std::string(error.what()), "the distribution is not defined for dtype int32");
  }
}

}  // namespace
}  // namespace stretto
