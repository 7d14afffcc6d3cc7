#include <stretto/tensor/compile.h>

#include <array>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <stretto/stretto.h>

#include "ops/compiled.h"
#include "tensor/testing.h"

namespace stretto {
namespace {

TEST(Compile, AChainIsReplayed) {
  const auto function = [](const Tensor& x) {
    Tensor y = x + 1.0f;
    for (int i = 0; i < 5; ++i) y = y * 2.0f - x;
    return y;
  };
  const auto compiled = compile(function);
  for (int i = 0; i < 10; ++i) {
    const Tensor x = filled<float>({3, 4}, static_cast<float>(i));
    EXPECT_EQ(values(compiled(x)), values(function(x))) << i;
  }
  expect_counts(compiled, 1, 9);
}

TEST(Compile, WhatItChangesInPlaceGoesOn) {
  const auto step = [](const Tensor& weight, const Tensor& x) {
    const Tensor gradient = weight * x;
    weight -= gradient * 0.1f;
    return sum(weight);
  };
  const Tensor weight = filled<float>({8}, 1.0f), plain_weight = weight.clone();
  const auto compiled = compile([&](const Tensor& x) { return step(weight, x); });
  std::vector<Tensor> got, wanted;
  for (int i = 0; i < 50; ++i) {
    const Tensor x = counting({8}) * (0.01f * static_cast<float>(i));
    got.push_back(compiled(x));
    wanted.push_back(step(plain_weight, x));
  }
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(values(got[i]), values(wanted[i])) << i;
  EXPECT_EQ(values(weight), values(plain_weight));
  expect_counts(compiled, 1, 49);
}

/// Two layers, trained by plain gradient descent.
struct Network {
  Tensor weight1, bias1, weight2, bias2;

  explicit Network(Generator generator)
      : weight1(normal(generator, 0, 0.3, {20, 16})),
        bias1(zeros({16})),
        weight2(normal(generator, 0, 0.3, {16, 10})),
        bias2(zeros({10})) {}

  Tensor step(const Tensor& x, const Tensor& labels) const {
    const Tensor before = addmm(bias1, x, weight1);
    const Tensor hidden = relu(before);
    const Tensor scores = addmm(bias2, hidden, weight2);
    const Tensor scores_gradient = cross_entropy_backward(full({}, 0.02f), scores, labels);
    const Tensor before_gradient = relu_backward(matmul(scores_gradient, weight2.t()), before);
    weight2 -= matmul(hidden.t(), scores_gradient);
    bias2 -= sum(scores_gradient, 0);
    weight1 -= matmul(x.t(), before_gradient);
    bias1 -= sum(before_gradient, 0);
    return cross_entropy(scores, labels, Reduction::sum);
  }
};

TEST(Compile, ANetworkLearnsTheSame) {
  const Network plain(Generator(1)), network(Generator(1));
  const auto step = compile([&](const Tensor& x, const Tensor& labels) { return network.step(x, labels); });
  Generator generator(2);
  std::vector<Tensor> got, wanted;
  for (int i = 0; i < 100; ++i) {
    const Tensor x = uniform(generator, 0, 1, {32, 20});
    const Tensor labels = randint(generator, 0, 10, {32});
    got.push_back(step(x, labels));
    wanted.push_back(plain.step(x, labels));
  }
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(values(got[i]), values(wanted[i])) << i;
  EXPECT_EQ(values(network.weight1), values(plain.weight1));
  EXPECT_EQ(values(network.bias2), values(plain.bias2));
  expect_counts(step, 1, 99);
}

TEST(Compile, RowsAndTilesAreOrderedAsElsewhere) {
  const auto function = [](const Tensor& x) {
    for (int row = 0; row < 4; ++row) x[row] += static_cast<float>(row);
    x.slice(1, 0, 2) *= 2.0f;
    x.slice(0, 1, 3).slice(1, 1, 4) += x.slice(0, 0, 2).slice(1, 0, 3);
    const Tensor column = x.select(1, 3).clone();
    x.t()[0].copy_(column);
    return sum(x, 0);
  };
  const auto compiled = compile(function);
  const Tensor mine = counting({4, 4}), plain = counting({4, 4});
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(values(compiled(mine)), values(function(plain)));
    mine *= 0.25f;
    plain *= 0.25f;
  }
  EXPECT_EQ(values(mine), values(plain));
  expect_counts(compiled, 1, 5);
}

TEST(Compile, ArgumentsThatShareMemoryAreAnotherKind) {
  const auto function = [](const Tensor& x, const Tensor& y) {
    x += 1.0f;
    y *= 2.0f;
    return x + y;
  };
  const auto compiled = compile(function);
  for (int round = 0; round < 3; ++round) {
    const Tensor x = counting({4}), y = counting({4}) + 1.0f, z = counting({8});
    const Tensor x2 = counting({4}), y2 = counting({4}) + 1.0f, z2 = counting({8});
    EXPECT_EQ(values(compiled(x, y)), values(function(x2, y2)));
    EXPECT_EQ(values(compiled(x, x)), values(function(x2, x2)));
    EXPECT_EQ(values(compiled(z.slice(0, 0, 4), z.slice(0, 2, 6))),
              values(function(z2.slice(0, 0, 4), z2.slice(0, 2, 6))));
    EXPECT_EQ(values(z), values(z2));
  }
  expect_counts(compiled, 3, 6);
}

TEST(Compile, AnArgumentThatIsAlsoCapturedIsThatTensor) {
  const Tensor weight = filled<float>({4}, 3.0f);
  const auto compiled = compile([&](const Tensor& x) { return x + weight; });
  EXPECT_EQ(values(compiled(weight)), repeated(4, 6.0f));
  EXPECT_EQ(values(compiled(weight)), repeated(4, 6.0f));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(compiled(filled<float>({4}, 1.0f))), repeated(4, 4.0f));
  EXPECT_EQ(values(compiled(weight)), repeated(4, 6.0f));
  expect_counts(compiled, 2, 4);
}

TEST(Compile, AnArgumentIsThatTensorAlsoWhereAPartOfItIsUsedOrItIsReturned) {
  const Tensor weight = filled<float>({4}, 3.0f);
  const auto changes = compile([&](const Tensor& x) {
    weight.slice(0, 0, 2) *= 2.0f;
    return x * 1.0f;
  });
  const auto reshapes = compile([&](const Tensor& x) { return x + weight.reshape({2, 2}).flatten(); });
  const auto returns = compile([&](const Tensor& x) {
    x += 1.0f;
    return weight;
  });
  changes(weight);
  const Tensor other = filled<float>({4}, 1.0f);
  changes(other);
  EXPECT_EQ(values(other), repeated(4, 1.0f));
  EXPECT_EQ(values(weight), (std::vector<float>{12, 12, 3, 3}));
  reshapes(weight);
  EXPECT_EQ(values(reshapes(other)), (std::vector<float>{13, 13, 4, 4}));
  returns(weight);
  EXPECT_TRUE(returns(other).shares_storage(weight));
  EXPECT_EQ(values(weight), (std::vector<float>{13, 13, 4, 4}));
  EXPECT_EQ(values(other), repeated(4, 2.0f));
}

TEST(Compile, ResultsMayBeOfEveryForm) {
  const Tensor kept = filled<float>({2}, 7.0f);
  const auto pair = compile([](const Tensor& x) { return std::pair(x + 1.0f, x * 2.0f); });
  const auto tuple = compile([&](const Tensor& x) { return std::tuple(x, kept, x.slice(0, 1), Tensor()); });
  const auto array = compile([](const Tensor& x) {
    const Tensor y = x + 1.0f;
    return std::array{y, y, y.slice(0, 0, 1)};
  });
  const auto list = compile([](const Tensor& x) {
    std::vector<Tensor> results;
    for (int i = 0; i < 4; ++i) results.push_back(x * static_cast<float>(i));
    return results;
  });
  const auto nothing = compile([](const Tensor& x) { x += 1.0f; });
  const auto without_arguments = compile([&] { return kept + 1.0f; });
  for (int i = 1; i < 5; ++i) {
    const auto value = static_cast<float>(i);
    const Tensor x = filled<float>({2}, value);
    const auto [first, second] = pair(x);
    EXPECT_EQ(values(first), repeated(2, value + 1));
    EXPECT_EQ(values(second), repeated(2, value * 2));
    const auto [same, captured, part, undefined] = tuple(x);
    EXPECT_TRUE(same.shares_storage(x));
    EXPECT_TRUE(captured.shares_storage(kept));
    EXPECT_TRUE(part.shares_storage(x));
    EXPECT_EQ(values(part), repeated(1, value));
    EXPECT_FALSE(undefined.defined());
    const std::array<Tensor, 3> three = array(x);
    EXPECT_TRUE(three[0].shares_storage(three[2]));
    EXPECT_EQ(values(three[2]), repeated(1, value + 1));
    EXPECT_EQ(values(list(x).at(3)), repeated(2, value * 3));
    nothing(x);
    EXPECT_EQ(values(x), repeated(2, value + 1));
    EXPECT_EQ(values(without_arguments()), repeated(2, 8.0f));
  }
  expect_counts(pair, 1, 3);
  expect_counts(list, 1, 3);
  expect_counts(array, 1, 3);
  expect_counts(nothing, 1, 3);
  expect_counts(without_arguments, 1, 3);
}

TEST(Compile, WhatNoOperationUsesIsLeftAlone) {
  const auto compiled = compile([](const Tensor&, const Tensor& used) { return std::pair(empty({64}), used + 1.0f); });
  for (int i = 0; i < 50; ++i) {
    // Gone, perhaps, before the replay begins; and never written.
    const auto [never_written, sum] = compiled(empty({64}), filled<float>({2}, 1.0f));
    EXPECT_EQ(never_written.numel(), 64);
    EXPECT_EQ(values(sum), repeated(2, 2.0f));
  }
  expect_counts(compiled, 1, 49);
}

TEST(Compile, ResultsStayWhenLaterReplaysRun) {
  const auto compiled = compile([](const Tensor& x) { return (x + 1.0f) * 2.0f; });
  std::vector<Tensor> results;
  for (int i = 0; i < 200; ++i) results.push_back(compiled(filled<float>({64}, static_cast<float>(i))));
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(values(results[static_cast<std::size_t>(i)]), repeated(64, 2.0f * static_cast<float>(i + 1)));
  expect_counts(compiled, 1, 199);
}

TEST(Compile, EachKindOfArgumentsIsRecordedAndTheOldestGoes) {
  const auto compiled = compile([](const Tensor& x) { return x + 1.0f; });
  for (int round = 0; round < 2; ++round)
    for (std::int64_t size = 1; size <= 12; ++size)
      EXPECT_EQ(values(compiled(filled<float>({size}, 1.0f))), repeated(size, 2.0f));
  const CompileStatistics counts = compiled.statistics();
  EXPECT_EQ(counts.kept, records() ? 8u : 0u);
  expect_counts(compiled, 24, 0);
  compiled(filled<float>({12}, 1.0f));
  compiled(counting<std::int32_t>({12}).to(DType::float64));
  compiled(counting({24}).slice(0, 0, 24, 2));
  expect_counts(compiled, 26, 1);
}

TEST(Compile, TasksOfAPersonAreReplayed) {
  const auto compiled = compile([](const Tensor& x) {
    Tensor y = empty({4});
    // That cannot be copied, though such a vector says that it can.
    std::vector<std::unique_ptr<float>> kept;
    kept.push_back(std::make_unique<float>(1));
    task("twice", cpu()).read(x).write(y).run([kept = std::move(kept)](TaskContext& context) {
      for (int i = 0; i < 4; ++i) context.data<float>(1)[i] = context.data<const float>(0)[i] * 2 + *kept[0];
    });
    return y + 1.0f;
  });
  for (int i = 0; i < 8; ++i) {
    const auto value = static_cast<float>(i);
    EXPECT_EQ(values(compiled(filled<float>({4}, value))), repeated(4, value * 2 + 2));
  }
  expect_counts(compiled, 1, 7);
}

TEST(Compile, TasksDrawWhatTheyWouldDraw) {
  const auto function = [] {
    std::vector<Tensor> drawn;
    for (int i = 0; i < 3; ++i) {
      drawn.push_back(empty({1}, cpu(), DType::int64));
      task("draw", cpu()).write(drawn.back()).run([](TaskContext& context) {
        *context.data<std::int64_t>(0) = static_cast<std::int64_t>(default_generator().next().key);
      });
    }
    return drawn;
  };
  const auto compiled = compile(function);
  std::vector<std::vector<std::int64_t>> got, wanted;
  for (const bool plain : {true, false}) {
    manual_seed(5);
    for (int i = 0; i < 4; ++i)
      for (const Tensor& one : plain ? function() : compiled())
        (plain ? wanted : got).push_back(one.to_vector<std::int64_t>());
  }
  EXPECT_EQ(got, wanted);
  expect_counts(compiled, 1, 3);
}

}  // namespace
}  // namespace stretto
