#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include <stretto/stretto.h>

namespace stretto::cli {

/// The parameters of a network with one hidden layer, or what has one part for each: their gradients.
struct Parameters {
  Tensor weight1;  ///< (inputs, hidden)
  Tensor bias1;    ///< (hidden)
  Tensor weight2;  ///< (hidden, classes)
  Tensor bias2;    ///< (classes)

  static constexpr int count = 4;
  /// In the order in which backward makes their gradients: the last layer first.
  Tensor& operator[](int number);
  const Tensor& operator[](int number) const;

  Parameters to(Device device) const;
};

/// Small random weights and biases of zero. Equal seeds give equal parameters on every device.
Parameters initial_parameters(std::int64_t inputs, std::int64_t hidden, std::int64_t classes, std::uint64_t seed,
                              Device device);

/// The scores of each class: (N, classes) for x (N, inputs).
Tensor forward(const Parameters& parameters, const Tensor& x);

/// Called as soon as backward has submitted a gradient, with its number in `Parameters`.
using OnGradient = std::function<void(int number, const Tensor& gradient)>;

/// Forward and backward by hand, on the device where x, labels (N, int64) and parameters are: what each parameter gets
/// of the gradient `share`, a number as a tensor of rank 0, of the mean loss of the batch. Returns the sum of the
/// losses, of rank 0.
Tensor forward_backward(const Parameters& parameters, const Tensor& x, const Tensor& labels, const Tensor& share,
                        const OnGradient& on_gradient);

/// A number for the bits of all parameters: equal numbers mean equal parameters. Blocks until they are there.
std::uint64_t fingerprint(const Parameters& parameters);

}  // namespace stretto::cli
