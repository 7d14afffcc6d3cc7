#include "cli/bench/training_step.h"

#include <stretto/base/error.h>

namespace stretto::cli {
namespace {

constexpr std::int64_t inputs = 784, hidden = 256;
constexpr float learning_rate = 0.1f;

}  // namespace

TrainingStep::TrainingStep(Device device)
    : parameters_(initial_parameters(inputs, hidden, classes, 1, device)), share_(full({}, 1.0f, device)) {
  Generator generator(2);
  x_ = uniform(generator, 0, 1, {batch, inputs}, device);
  labels_ = randint(generator, 0, classes, {batch}, device);
  first_loss_ = cross_entropy(forward(parameters_, x_), labels_).item<float>();
}

Tensor TrainingStep::step(const Tensor& x, const Tensor& labels) const {
  Parameters gradients;
  const Tensor loss = forward_backward(parameters_, x, labels, share_,
                                       [&](int number, const Tensor& gradient) { gradients[number] = gradient; });
  for (int number = 0; number < Parameters::count; ++number) parameters_[number] -= gradients[number] * learning_rate;
  return loss;
}

void TrainingStep::check(const Tensor& loss) const {
  if (!(loss.item<float>() / batch < first_loss_)) throw Error("mlp.step: the loss does not fall");
}

}  // namespace stretto::cli
