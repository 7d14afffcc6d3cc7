#include "cli/training/network.h"

#include <cmath>
#include <cstring>

namespace stretto::cli {
namespace {

// The places of the gradients in the order in which backward makes them.
constexpr Tensor Parameters::* order[Parameters::count] = {&Parameters::weight2, &Parameters::bias2,
                                                           &Parameters::weight1, &Parameters::bias1};

}  // namespace

Tensor& Parameters::operator[](int number) { return this->*order[number]; }
const Tensor& Parameters::operator[](int number) const { return this->*order[number]; }

Parameters Parameters::to(Device device) const {
  Parameters moved;
  for (int number = 0; number < count; ++number) moved[number] = (*this)[number].to(device);
  return moved;
}

Parameters initial_parameters(std::int64_t inputs, std::int64_t hidden, std::int64_t classes, std::uint64_t seed,
                              Device device) {
  Generator generator(seed);
  const auto weight = [&](std::int64_t rows, std::int64_t columns) {
    return normal(generator, 0, std::sqrt(2.0 / static_cast<double>(rows)), {rows, columns}, device);
  };
  Parameters parameters;
  parameters.weight1 = weight(inputs, hidden);
  parameters.bias1 = zeros({hidden}, device);
  parameters.weight2 = weight(hidden, classes);
  parameters.bias2 = zeros({classes}, device);
  return parameters;
}

Tensor forward(const Parameters& parameters, const Tensor& x) {
  const Tensor hidden = addmm_relu(parameters.bias1, x, parameters.weight1);
  return addmm(parameters.bias2, hidden, parameters.weight2);
}

Tensor forward_backward(const Parameters& parameters, const Tensor& x, const Tensor& labels, const Tensor& share,
                        const OnGradient& on_gradient) {
  const Tensor hidden = addmm_relu(parameters.bias1, x, parameters.weight1);
  const Tensor scores = addmm(parameters.bias2, hidden, parameters.weight2);

  // Each gradient is announced before the next is begun, so that it can travel while backward goes on.
  const Tensor scores_gradient = cross_entropy_backward(share, scores, labels);
  on_gradient(0, matmul(hidden.t(), scores_gradient));
  on_gradient(1, sum(scores_gradient, 0));
  const Tensor before_gradient = matmul_relu_backward(scores_gradient, parameters.weight2.t(), hidden);
  on_gradient(2, matmul(x.t(), before_gradient));
  on_gradient(3, sum(before_gradient, 0));
  return cross_entropy(scores, labels, Reduction::sum);
}

std::uint64_t fingerprint(const Parameters& parameters) {
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (int number = 0; number < Parameters::count; ++number) {
    for (const float value : parameters[number].to_vector<float>()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      for (int byte = 0; byte < 4; ++byte) hash = (hash ^ (bits >> (8 * byte) & 0xff)) * 0x100000001b3u;
    }
  }
  return hash;
}

}  // namespace stretto::cli
