#pragma once

#include <cstdint>

#include <stretto/stretto.h>

#include "cli/seconds.h"
#include "cli/training/network.h"

namespace stretto::cli {

/// A step of training a network of two layers, always with the same batch, which it learns by heart.
class TrainingStep {
 public:
  static constexpr std::int64_t batch = 256, classes = 10;
  static constexpr std::int64_t usual_steps = 100;

  explicit TrainingStep(Device device);

  const Tensor& x() const { return x_; }
  const Tensor& labels() const { return labels_; }
  /// Changes the parameters; returns the loss.
  Tensor step(const Tensor& x, const Tensor& labels) const;
  Tensor step() const { return step(x_, labels_); }

  /// Microseconds of a step; the loss is computed in each and read at the end. Throws Error when it has not fallen.
  template <typename Step>
  double microseconds(std::int64_t steps, Step step) const {
    Tensor loss;
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < steps; ++i) loss = step();
      wait_all();
    });
    check(loss);
    return seconds * 1e6 / static_cast<double>(steps);
  }

 private:
  void check(const Tensor& loss) const;

  Parameters parameters_;
  Tensor share_;
  Tensor x_;
  Tensor labels_;
  float first_loss_;
};

}  // namespace stretto::cli
