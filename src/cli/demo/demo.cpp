#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <stretto/report/system.h>

#include "cli/chapter.h"
#include "cli/demo/departures.h"
#include "cli/demo/serial_engine.h"
#include "cli/devices.h"
#include "cli/results.h"
#include "cli/seconds.h"
#include "cli/terminal.h"
#include "cli/verbs.h"

namespace stretto::cli {
namespace {

struct DemoOptions {
  CommonOptions common;
  bool quick = false;
  std::optional<std::int64_t> size;
  std::optional<std::int64_t> count;
  int epochs = 5;
  std::string data = fashion_mnist_directory;
};

// Columns of the tables of seconds.
constexpr int label_width = 30;

std::string seconds_text(double seconds) { return fmt::format("{:.4f}", seconds); }
std::string times(double ratio) { return fmt::format("{:.2f} x", ratio); }
/// A table's column, padded before it is styled.
std::string column(const std::string& text, int width) { return fmt::format("{:>{}}", text, width); }

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void say_heading(int number, const std::string& title, const std::string& columns) {
  say(fmt::format("\n{}\n{}", bold(fmt::format("{}. {}", number, title)),
                  faint(fmt::format("   {:<{}}{}", "", label_width, columns))));
}

void say_seconds_heading(int number, const std::string& title) {
  say_heading(number, title,
              column("seconds", 10) + column("to its bound", 15) + column("serial engine", 16) + column("as fast", 10));
}

/// One measured row: its seconds, how far from its bound (0: it has none), and the serial engine's seconds.
void say_seconds(const std::string& what, double seconds, double bound, double serial) {
  say(fmt::format("   {:<{}}{}{}{}{}", what, label_width, column(seconds_text(seconds), 10),
                  bold(column(bound > 0 ? times(seconds / bound) : "", 15)), column(seconds_text(serial), 16),
                  bold(column(times(serial / seconds), 10))));
}

class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options), data_(load_fashion_mnist(options.data)), devices_(several_devices()) {
    const bool gpus = devices_.front().kind() == DeviceKind::cuda;
    // The chapter's sizes on GPUs; on cores, products of some ten milliseconds.
    const std::int64_t size = options.size.value_or(gpus ? 4000 : 1024);
    const std::int64_t count = options.count.value_or(options.quick ? 8 : 50);
    products_ = {size, size, count};
    epochs_ = options.quick ? 1 : options.epochs;
    samples_ = options.quick ? 1 : 3;
  }

  std::vector<Result> run() {
    introduce();
    show_parallel();
    show_overlap();
    show_training();
    say("\nAll of it was ordinary sequential code: no stream, no thread, no lock, and no wait but for what is read.");
    return results_;
  }

 private:
  void introduce() {
    const SystemReport system = system_report();
    say(fmt::format("{} {} on {}, {} cores", bold("Stretto"), version(), system.processor, system.cores));
    if (devices_.front().kind() == DeviceKind::cpu) {
      const std::string parts = devices_.size() == 2 ? "two" : std::to_string(devices_.size());
      say(fmt::format("There are not two GPUs here, so the demo splits the CPU in {}:", parts));
    }
    for (const DeviceReport& device : system.devices) {
      if (std::ranges::find(devices_, device.device) == devices_.end()) continue;
      say(fmt::format("   {:<8}{} ({})", to_string(device.device), device.model, device.detail));
    }
    say("Each figure is measured here and now; the serial engine does the same work in a process of its own, one\n"
        "statement at a time. The bound of what runs at once is the larger of its parts.");
  }

  double record(const std::string& name, const std::string& unit, std::vector<double> samples) {
    results_.push_back(summarise("demo." + name, unit, std::move(samples)));
    return results_.back().value;
  }
  double record(const std::string& name, const std::string& unit, double value) {
    return record(name, unit, std::vector{value});
  }

  std::string all_at_once() const {
    return devices_.size() == 2 ? "both at once" : fmt::format("all {} at once", devices_.size());
  }

  void show_parallel() {
    say_seconds_heading(1, fmt::format("Devices at once: {} products of {} x {} matrices on each", products_.count,
                                       products_.n, products_.n));
    std::deque<Factors> factors;
    for (const Device device : devices_) factors.emplace_back(products_, device);
    const auto products_on = [&](std::size_t first, std::size_t last) {
      std::vector<std::vector<Tensor>> kept;
      return seconds_of([&] {
        for (std::size_t i = first; i < last; ++i) kept.push_back(submit_products(factors[i], products_.count));
        wait_all();
      });
    };
    // Memory is touched for the first time, and what was made is looked at.
    for (const Factors& one : factors) check_products(submit_products(one, products_.count), one);

    std::vector<std::vector<double>> alone(devices_.size());
    std::vector<double> together;
    for (int sample = 0; sample < samples_; ++sample) {
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        progress_.show((sample + static_cast<double>(i) / static_cast<double>(devices_.size() + 1)) / samples_,
                       to_string(devices_[i]));
        alone[i].push_back(products_on(i, i + 1));
      }
      together.push_back(products_on(0, devices_.size()));
    }
    progress_.show(1, "serial engine");
    const std::vector<double> serial = serial_.measure_products(products_);
    progress_.clear();
    double slowest = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const double seconds = record("parallel." + to_string(devices_[i]), "s", alone[i]);
      slowest = std::max(slowest, seconds);
      say_seconds(to_string(devices_[i]) + " alone", seconds, 0, serial[i]);
    }
    const double all = record("parallel.all", "s", together);
    record("parallel.ratio", "ratio", all / slowest);
    const double serial_all = record("serial.parallel", "s", std::accumulate(serial.begin(), serial.end(), 0.0));
    say_seconds(all_at_once(), all, slowest, serial_all);
  }

  void show_overlap() {
    const Device from = devices_.front(), to = copy_target(from);
    Products products = products_;
    progress_.show(0, "looking for products that take as long to make as to copy");
    if (!options_.size) products = balance(products.n, products.count, from, to);
    progress_.clear();
    const auto [n, inner, count] = products;
    say_seconds_heading(
        2, fmt::format("Computing and copying at once: {} products of {} x {} and {} x {}, from {} to {}", count, n,
                       inner, inner, n, to_string(from), to_string(to)));
    const Factors factors(products, from);
    measure_run_and_copy(factors, count, to);
    std::vector<OverlapTimes> samples;
    for (int sample = 0; sample < 2 * samples_ + 1; ++sample) samples.push_back(measure_overlap(factors, count, to));
    const auto record_each = [&](const char* name, double OverlapTimes::* member) {
      std::vector<double> values;
      for (const OverlapTimes& one : samples) values.push_back(one.*member);
      return record(name, "s", values);
    };
    const double run = record_each("overlap.run", &OverlapTimes::run);
    const double copy = record_each("overlap.copy", &OverlapTimes::copy);
    const double both = record_each("overlap.run_and_copy", &OverlapTimes::run_and_copy);
    const double larger = std::max(run, copy);
    record("overlap.ratio", "ratio", both / larger);
    const SerialEngine::RunAndCopy serial = serial_.measure_run_and_copy(products);
    record("serial.run_and_copy", "s", serial.run + serial.copy);
    say_seconds("run", run, 0, serial.run);
    say_seconds("copy", copy, 0, serial.copy);
    say_seconds("run and copy", both, larger, serial.run + serial.copy);
  }

  void say_speed(const std::string& what, double images_a_second, const std::string& remark) {
    say(fmt::format("   {:<{}}{}   {}", what, label_width, column(fmt::format("{:.0f}", images_a_second), 15), remark));
  }

  void show_training() {
    say_heading(
        3,
        fmt::format("Training 784-256-10 on Fashion-MNIST: each batch of 256 split over {} devices", devices_.size()),
        column("images a second", 15));
    TrainingOptions options{.devices = devices_, .epochs = epochs_};
    const auto on_progress = [&](double fraction, std::string_view what) { progress_.show(fraction, what); };
    const TrainingOutcome training = train(data_, options, on_progress, [&](int epoch, const EpochReport& report) {
      progress_.clear();
      say_speed(fmt::format("epoch {}", epoch), report.images_a_second,
                fmt::format("loss {:.4f}, test accuracy {}", report.loss,
                            bold(fmt::format("{:.2f} %", 100 * report.accuracy))));
    });
    const double speed = record("training.images", "images/s", training.images_a_second());
    record("training.loss", "nats", training.epochs.back().loss);
    record("training.accuracy", "fraction", training.epochs.back().accuracy);

    options.wait_before_sending = true;
    options.epochs = 1;
    const TrainingOutcome waiting = train(data_, options, on_progress, [](int, const EpochReport&) {});
    progress_.clear();
    const double waiting_speed = record("training.waiting_images", "images/s", waiting.images_a_second());
    say_speed("with a wait before sending", waiting_speed,
              fmt::format("a wait_all between backward and sending: {} as fast", bold(times(waiting_speed / speed))));

    const SerialEngine::Training serial = serial_.train(epochs_, options_.data, on_progress);
    progress_.clear();
    record("serial.images", "images/s", serial.images_a_second);
    say_speed("serial engine", serial.images_a_second,
              fmt::format("the same training: Stretto is {} as fast", bold(times(speed / serial.images_a_second))));

    constexpr int steps = 200;
    progress_.show(1, "when gradients leave");
    const std::vector<double> leads = measure_departures(options_.data, steps);
    progress_.clear();
    const double lead = record("training.lead", "s", leads);
    say(fmt::format("   The first gradient was on {} {} {} {} had made its last one (median of {} steps).",
                    to_string(devices_.front()), bold(fmt::format("{:.0f} us", 1e6 * std::abs(lead))),
                    lead >= 0 ? "before" : "after", to_string(devices_.back()), leads.size()));
    const bool equal = serial.fingerprint == training.fingerprint;
    say(fmt::format("   Weights after {} {}: fingerprint {:016x}, the serial engine's {:016x}: {}.", epochs_,
                    epochs_ == 1 ? "epoch" : "epochs", training.fingerprint, serial.fingerprint,
                    equal ? green("equal bit for bit") : bold("different")));
    if (!equal) throw Error("the trained weights differ from those of the serial engine");
  }

  DemoOptions options_;
  FashionMnist data_;
  std::vector<Device> devices_;
  Products products_;
  int epochs_;
  int samples_;
  ProgressBar progress_;
  SerialEngine serial_;
  std::vector<Result> results_;
};

int demo(const DemoOptions& options) {
  apply(options.common);
  prepare_two_devices();
  const ResultFile file(options.common.json);
  if (several_devices().size() < 2) throw UsageError("the demo needs two devices; --cpu-devices 2 splits the CPU");
  Demo work(options);
  file.write(work.run());
  return success;
}

}  // namespace

void add_demo(CLI::App& app, Action& action) {
  auto options = std::make_shared<DemoOptions>();
  CLI::App* verb =
      app.add_subcommand("demo", "The main job: computing, copying and training on several devices at once");
  verb->add_flag("--quick", options->quick, "Small sizes and one epoch: some 5 s instead of 30")
      ->disable_flag_override();
  verb->add_option("--size", options->size, "Rows and columns of the matrices")
      ->check(CLI::Range(16, 100000))
      ->type_name("N");
  verb->add_option("--count", options->count, "Products of each experiment")
      ->check(CLI::Range(1, 100000))
      ->type_name("K");
  verb->add_option("--epochs", options->epochs, "Passes over the training images")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str()
      ->type_name("E");
  verb->add_option("--data", options->data, "Folder of Fashion-MNIST's four files")
      ->capture_default_str()
      ->type_name("DIR");
  add_common_options(*verb, options->common);
  verb->callback([options, &action] { action = [options] { return demo(*options); }; });
}

}  // namespace stretto::cli
