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
  std::vector<Device> devices;  ///< Each batch is split over them.
  /// In what proportion, a number for each device; one of 0 gets no images. Empty: in equal parts.
  std::vector<std::int64_t> shares = {};
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

/// Trains the two-layer network on Fashion-MNIST over several devices, each of which has the images and works on its
/// part of a batch. Devices of the first one's kind exchange gradients, each as soon as it exists, and step their
/// parameters themselves, all by the same sums; to others (a CPU beside GPUs, to which that would be most of its work)
/// the new parameters are sent.
class Trainer {
 public:
  /// Takes the data to the devices. Throws UsageError for a batch of fewer images than devices, and for shares that are
  /// not one for each device or that are all 0.
  Trainer(const FashionMnist& data, const TrainingOptions& options);

  using OnStep = std::function<void(double fraction)>;
  /// One pass over the shuffled training images. Blocks until it is done; `on_step` is called while it is submitted.
  EpochReport train_epoch(const OnStep& on_step);

  const Parameters& parameters() const { return replicas_.front().parameters; }
  /// How many images of a full batch each device gets.
  std::vector<std::int64_t> images_of_parts() const;
  /// So many steps, without a report. Blocks until they are done.
  void train_steps(int steps);

  /// The file that the call sites of gradients on their way name, for whoever looks for them in a timeline. The lines
  /// are the numbers of the gradients, from 1, on their way to the first device, and go on with those to the second.
  static constexpr const char* gradient_site = "gradient";

 private:
  struct Replica {
    Device device;
    bool steps;  ///< Its parameters itself.
    Parameters parameters;
    Tensor images;  ///< (N, 784) uint8
    Tensor labels;  ///< (N,) int64
    Tensor order;   ///< (N,) int64: the images in the order of this epoch.
    Tensor loss;    ///< Sum over this epoch.
  };
  /// What a device works on in a step: nothing where its share is 0.
  struct Part {
    double share;  ///< Of the batch.
    Tensor x;
    Tensor labels;
  };
  /// For each device that steps its parameters the gradients of all devices, there, times the learning rate.
  using Gradients = std::vector<std::vector<Parameters>>;

  float learning_rate() const;
  /// Where part `part` of a batch from `begin` to `end` begins, and the part before it ends.
  std::int64_t begin_of_part(std::size_t part, std::int64_t begin, std::int64_t end) const;
  /// A step with the batch that begins at `begin`; the next will be with that at `next`, which is -1 where that is not
  /// known yet.
  void step(std::int64_t begin, std::int64_t next);
  /// The parts of the batch that begins at `begin`, on all devices.
  std::vector<Part> hand_out(std::int64_t begin) const;
  /// Forward and backward on device `from`. Sends the gradients, unless they are sent later.
  void backward(std::size_t from, const Part& part, Gradients& gradients);
  /// Sends gradient `number` of device `from` to all that step their parameters.
  void send(int number, const Tensor& gradient, std::size_t from, Gradients& gradients) const;
  void update(const std::vector<Part>& work, const Gradients& gradients);
  /// Shuffles the images, and begins to add up losses. Blocks.
  void begin_epoch();
  double accuracy() const;

  TrainingOptions options_;
  std::int64_t count_;  ///< Of images.
  Tensor test_images_;
  Tensor test_labels_;
  Generator generator_;
  std::vector<Replica> replicas_;
  std::vector<Part> ahead_;  ///< The next batch's, where it is known.
  std::int64_t steps_ = 0;
};

/// Called with how far the present work has come and what it is.
using OnProgress = std::function<void(double fraction, std::string_view what)>;

struct TrainingOutcome {
  std::vector<EpochReport> epochs;
  std::uint64_t fingerprint = 0;  ///< Of the parameters at the end.
  double images_a_second() const;
};

/// Trains for so many epochs; `on_epoch` is called with the number of each, from 1, and what came of it.
TrainingOutcome train(Trainer& trainer, int epochs, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch);
/// The same with a trainer of its own, for `options.epochs`.
TrainingOutcome train(const FashionMnist& data, const TrainingOptions& options, const OnProgress& on_progress,
                      const std::function<void(int, const EpochReport&)>& on_epoch);

}  // namespace stretto::cli
