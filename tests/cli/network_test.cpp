#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <stretto/stretto.h>

#include "cli/training/network.h"

namespace stretto::cli {
namespace {

struct Batch {
  Tensor x = uniform(-1, 1, {10, 6});
  Tensor labels = randint(0, 3, {10});
};

Parameters gradients_of(const Parameters& parameters, const Tensor& x, const Tensor& labels, float share) {
  Parameters gradients;
  forward_backward(parameters, x, labels, full({}, share),
                   [&](int number, const Tensor& gradient) { gradients[number] = gradient; });
  return gradients;
}

double mean_loss(const Parameters& parameters, const Batch& batch) {
  return cross_entropy(forward(parameters, batch.x), batch.labels).item<float>();
}

TEST(Network, GradientsAreTheSlopesOfTheLoss) {
  manual_seed(3);
  const Batch batch;
  Parameters parameters = initial_parameters(6, 5, 3, 1, cpu());
  const Parameters gradients = gradients_of(parameters, batch.x, batch.labels, 1);
  constexpr float step = 1e-2f;
  for (int number = 0; number < Parameters::count; ++number) {
    const Tensor flat = parameters[number].flatten();
    const std::vector<float> expected = gradients[number].flatten().to_vector<float>();
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
      flat[i] += step;
      const double above = mean_loss(parameters, batch);
      flat[i] -= 2 * step;
      const double below = mean_loss(parameters, batch);
      flat[i] += step;
      EXPECT_NEAR((above - below) / (2 * step), expected[static_cast<std::size_t>(i)], 2e-3) << number << ": " << i;
    }
  }
}

TEST(Network, LastLayerComesFirst) {
  const Batch batch;
  std::vector<Shape> shapes;
  forward_backward(initial_parameters(6, 5, 3, 1, cpu()), batch.x, batch.labels, full({}, 1.0f),
                   [&](int, const Tensor& gradient) { shapes.push_back(gradient.shape()); });
  EXPECT_EQ(shapes, (std::vector<Shape>{{5, 3}, {3}, {6, 5}, {5}}));
}

// Case T4: a batch of 10 split 7 and 3, or not at all, has one gradient.
TEST(Network, SharesOfABatchAddUpToItsGradient) {
  manual_seed(4);
  const Batch batch;
  const Parameters parameters = initial_parameters(6, 5, 3, 1, cpu());
  const Parameters whole = gradients_of(parameters, batch.x, batch.labels, 1);
  const auto part = [&](std::int64_t begin, std::int64_t size) {
    return gradients_of(parameters, batch.x.narrow(0, begin, size), batch.labels.narrow(0, begin, size),
                        static_cast<float>(size) / 10);
  };
  const Parameters seven = part(0, 7), three = part(7, 3);
  for (int number = 0; number < Parameters::count; ++number) {
    EXPECT_TRUE(allclose(seven[number] + three[number], whole[number], 0, 1e-6)) << number;
  }
}

TEST(Network, FingerprintTellsOneBit) {
  const Parameters one = initial_parameters(6, 5, 3, 1, cpu()), same = initial_parameters(6, 5, 3, 1, cpu());
  EXPECT_EQ(fingerprint(one), fingerprint(same));
  EXPECT_NE(fingerprint(one), fingerprint(initial_parameters(6, 5, 3, 2, cpu())));
  const Tensor last = same.bias2[2];
  last.fill_(std::nextafter(0.0f, 1.0f));
  EXPECT_NE(fingerprint(one), fingerprint(same));
}

}  // namespace
}  // namespace stretto::cli
