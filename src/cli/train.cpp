#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "cli/devices.h"
#include "cli/results.h"
#include "cli/terminal.h"
#include "cli/training/shares.h"
#include "cli/training/trainer.h"
#include "cli/verbs.h"
#include "cli/whole_number.h"

namespace stretto::cli {
namespace {

struct TrainOptions {
  CommonOptions common;
  TrainingOptions training;
  std::vector<std::string> devices;
  std::string shares = "equal";
  std::string data = fashion_mnist_directory;
};

/// "3,3,1": a number for each device.
std::vector<std::int64_t> numbers_in(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (const auto& part : std::views::split(text, ',')) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc() || end != part.data() + part.size())
      throw UsageError(fmt::format("--shares takes \"equal\", \"measured\" or a number for each device: {}", text));
    numbers.push_back(number);
  }
  return numbers;
}

int train_fashion_mnist(TrainOptions options) {
  apply(options.common);
  const ResultFile file(options.common.json);
  options.training.devices = devices_named(options.devices, try_all_gpus());
  if (options.shares != "equal" && options.shares != "measured") options.training.shares = numbers_in(options.shares);
  const FashionMnist data = load_fashion_mnist(options.data);
  if (options.shares == "measured") options.training.shares = measured_shares(data, options.training);
  Trainer trainer(data, options.training);
  ProgressBar progress;
  std::string names;
  for (const Device device : options.training.devices) names += " " + to_string(device);
  fmt::print("784-{}-10 on Fashion-MNIST, batches of {} on{}\n", options.training.hidden, options.training.batch,
             names);
  if (options.shares != "equal")
    fmt::print("of each batch {}: --shares {}\n", describe_parts(options.training.devices, trainer.images_of_parts()),
               fmt::join(options.training.shares, ","));
  fmt::print("{}\n", faint("   epoch     loss   test accuracy   images a second"));
  const TrainingOutcome outcome = train(
      trainer, options.training.epochs, [&](double fraction, std::string_view what) { progress.show(fraction, what); },
      [&](int epoch, const EpochReport& report) {
        progress.clear();
        fmt::print("   {:>5}   {:.4f}         {:>5.2f} %   {:>15.0f}\n", epoch, report.loss, 100 * report.accuracy,
                   report.images_a_second);
        std::fflush(stdout);
      });
  std::vector<double> losses, accuracies, images;
  for (const EpochReport& epoch : outcome.epochs) images.push_back(epoch.images_a_second);
  const EpochReport& last = outcome.epochs.back();
  fmt::print("weights: fingerprint {:016x}\n", outcome.fingerprint);
  file.write({summarise("train.loss", "nats", {last.loss}), summarise("train.accuracy", "fraction", {last.accuracy}),
              summarise("train.images", "images/s", images)});
  return success;
}

}  // namespace

void add_train(CLI::App& app, Action& action) {
  auto options = std::make_shared<TrainOptions>();
  CLI::App* verb = app.add_subcommand("train", "Train a model on the devices of one's choice");
  verb->require_subcommand(1);
  CLI::App* model =
      verb->add_subcommand("fashion-mnist", "A network of two layers that tells ten kinds of clothing apart");
  model->add_option("--device", options->devices, "Split each batch over these devices (cpu:0, sim:0, cuda:1)")
      ->type_name("D");
  model
      ->add_option("--shares", options->shares,
                   "In what proportion: equal, measured (each device alone, before), or numbers such as 30,30,1")
      ->capture_default_str()
      ->type_name("S");
  model->add_option("--epochs", options->training.epochs, "Passes over the training images")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->type_name("E");
  model->add_option("--batch", options->training.batch, "Images of a step")
      ->check(CLI::Range(1, 60000))
      ->capture_default_str()
      ->type_name("N");
  model->add_option("--hidden", options->training.hidden, "Width of the hidden layer")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str()
      ->type_name("N");
  model->add_option("--learning-rate", options->training.learning_rate, "Step of the descent")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->type_name("R");
  model->add_option("--seed", options->training.seed, "Of the first weights and of the shuffling")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
      ->capture_default_str()
      ->type_name("S");
  model
      ->add_flag("--wait-before-sending", options->training.wait_before_sending,
                 "A wait_all between backward and sending, to see what sending early is worth")
      ->disable_flag_override();
  model->add_option("--data", options->data, "Folder of Fashion-MNIST's four files")
      ->capture_default_str()
      ->type_name("DIR");
  add_common_options(*model, options->common);
  model->callback([options, &action] { action = [options] { return train_fashion_mnist(*options); }; });
}

}  // namespace stretto::cli
