#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/groups.h"
#include "cli/training/network.h"

namespace stretto::cli {
namespace {

constexpr std::int64_t batch = 256, inputs = 784, hidden = 256, classes = 10;
constexpr std::int64_t usual_steps = 100;
constexpr float learning_rate = 0.1f;

class Training {
 public:
  explicit Training(Device device)
      : parameters_(initial_parameters(inputs, hidden, classes, 1, device)), share_(full({}, 1.0f, device)) {
    Generator generator(2);
    x_ = uniform(generator, 0, 1, {batch, inputs}, device);
    labels_ = randint(generator, 0, classes, {batch}, device);
    first_loss_ = cross_entropy(forward(parameters_, x_), labels_).item<float>();
  }

  /// Microseconds of a step; the loss is computed in each and read at the end.
  double measure(std::int64_t steps) {
    Tensor loss;
    const double seconds = seconds_of([&] {
      for (std::int64_t i = 0; i < steps; ++i) {
        Parameters gradients;
        loss = forward_backward(parameters_, x_, labels_, share_,
                                [&](int number, const Tensor& gradient) { gradients[number] = gradient; });
        for (int number = 0; number < Parameters::count; ++number) {
          parameters_[number] -= gradients[number] * learning_rate;
        }
      }
      wait_all();
    });
    const float value = loss.item<float>() / batch;
    // The same batch again and again is learned by heart.
    if (!(value < first_loss_)) throw Error("mlp.step: the loss does not fall");
    return seconds * 1e6 / static_cast<double>(steps);
  }

 private:
  Parameters parameters_;
  Tensor share_;
  Tensor x_;
  Tensor labels_;
  float first_loss_;
};

}  // namespace

void bench_mlp(BenchRun& run) {
  for (const Device device : run.devices({cpu()})) {
    Training training(device);
    const std::int64_t steps = run.options().count.value_or(usual_steps);
    training.measure(10);
    const std::string name = figure_on("mlp.step", device);
    run.report(name, "us", run.collect(name, [&] { return training.measure(steps); }));
  }
}

}  // namespace stretto::cli
