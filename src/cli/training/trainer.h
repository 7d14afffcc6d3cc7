#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <stretto/io/idx.h>
#include <stretto/stretto.h>

#include "cli/training/network.h"

namespace stretto::cli {

struct TrainingOptions {
  std::vector<Device> devices;  ///< Each batch is split over them; the first keeps the parameters.
  std::int64_t hidden = 256;
  std::int64_t batch = 256;
  int epochs = 5;
  /// Of the first step; it falls in a line towards 0 at the last.
  float learning_rate = 0.2f;
  std::uint64_t seed = 1;
  /// Puts a wait for everything between backward and the sending of gradients, as a program without dependencies needs.
  bool wait_before_sending = false;
};

struct EpochReport {
  double seconds = 0;  ///< Of training; testing is not counted.
  double images_a_second = 0;
  double loss = 0;      ///< Mean over the epoch, as it was while it was trained.
  double accuracy = 0;  ///< On the test images, between 0 and 1.
};

/// Trains the two-layer network on Fashion-MNIST over several devices: each device works on its part of a batch; every
/// gradient is sent to the first device as soon as it exists and averaged there; the new parameters are sent back.
class Trainer {
 public:
  /// Takes the data to the first device. Throws UsageError when there are fewer images in a batch than devices.
  Trainer(const FashionMnist& data, const TrainingOptions& options);

  using OnStep = std::function<void(double fraction)>;
  /// One pass over the shuffled training images. Blocks until it is done; `on_step` is called while it is submitted.
  EpochReport train_epoch(const OnStep& on_step);

  const Parameters& parameters() const { return replicas_.front(); }
  /// So many steps, without a report. Blocks until they are done.
  void train_steps(int steps);

  /// The file that the call sites of gradients on their way name, for whoever looks for them in a timeline: the first
  /// gradient's is "gradient:1".
  static constexpr const char* gradient_site = "gradient";

 private:
  float learning_rate() const;
  /// A step with the batch that begins at `begin`.
  void step(std::int64_t begin);
  /// What a device works on in a step.
  struct Part {
    Tensor x;
    Tensor labels;
    double share;  ///< Of the batch.
  };
  /// The images from `begin` to `end` of this epoch, taken to device `part`.
  Part take(std::size_t part, std::int64_t begin, std::int64_t end) const;
  /// The parts of the batch that begins at `begin`, on all devices.
  std::vector<Part> hand_out(std::int64_t begin) const;
  /// Forward and backward on device `part`. The gradients on the first device, unless they are sent later.
  Parameters backward(std::size_t part, const Part& of);
  /// Sends gradient `number` to the first device.
  Tensor send(int number, const Tensor& gradient);
  /// Shuffles the images, and begins to add up losses. Blocks.
  void begin_epoch();
  double accuracy() const;

  TrainingOptions options_;
  Tensor images_;  ///< (N, 784) uint8
  Tensor labels_;  ///< (N,) int64
  Tensor test_images_;
  Tensor test_labels_;
  Tensor order_;  ///< (N,) int64: the images in the order of this epoch.
  Generator generator_;
  std::vector<Parameters> replicas_;
  std::vector<Part> ahead_;  ///< The next batch's, where it is of this epoch.
  std::int64_t steps_ = 0;
  std::vector<Tensor> losses_;  ///< Sum of the losses of this epoch on each device.
};

/// Called with how far the present work has come and what it is.
using OnProgress = std::function<void(double fraction, std::string_view what)>;

struct TrainingOutcome {
  std::vector<EpochReport> epochs;
  std::uint64_t fingerprint = 0;  ///< Of the parameters at the end.
  double images_a_second() const;
};

/// Trains for `options.epochs`; `on_epoch` is called with the number of each, from 1, and what came of it.
TrainingOutcome train(const FashionMnist& data, const TrainingOptions& options, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch);

}  // namespace stretto::cli
