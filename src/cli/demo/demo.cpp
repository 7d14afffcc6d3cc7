#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <stretto/report/system.h>

#include "cli/chapter.h"
#include "cli/demo/plan.h"
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

void say_row(const std::string& what, const std::string& value, const std::string& remark = "") {
  fmt::print("   {:<34}{:>10}   {}\n", what, value, remark);
  std::fflush(stdout);
}

std::string seconds_text(double seconds) { return fmt::format("{:.4f}", seconds); }

std::string times(double ratio) { return fmt::format("{:.2f} x", ratio); }

void say_heading(int number, const std::string& title, const std::string& unit) {
  fmt::print("\n{}\n{}\n", bold(fmt::format("{}. {}", number, title)), faint(fmt::format("{:>47}", unit)));
  std::fflush(stdout);
}

class Demo {
 public:
  explicit Demo(const DemoOptions& options)
      : options_(options), data_(load_fashion_mnist(options.data)), devices_(several_devices()) {
    const bool gpus = devices_.front().kind() == DeviceKind::cuda;
    // The chapter's sizes on GPUs; on cores, products of some ten milliseconds.
    const std::int64_t size = options.size.value_or(gpus ? 4000 : 1024);
    const std::int64_t count = options.count.value_or(options.quick ? 8 : 50);
    plan_.parallel = {size, size, count};
    plan_.overlap = {size, size, count};
    plan_.epochs = options.quick ? 1 : options.epochs;
    plan_.data = options.data;
    samples_ = options.quick ? 1 : 3;
  }

  std::vector<Result> run() {
    introduce();
    const double parallel = show_parallel();
    const double run_and_copy = show_overlap();
    const TrainingOutcome training = show_training();
    compare_with_serial_engine(parallel, run_and_copy, training);
    return results_;
  }

 private:
  void introduce() {
    const SystemReport system = system_report();
    fmt::print("{} {} on {}, {} cores\n", bold("Stretto"), version(), system.processor, system.cores);
    if (devices_.front().kind() == DeviceKind::cpu) {
      fmt::print("There are not two GPUs here, so the CPU's cores are split into {} devices.\n", devices_.size());
    }
    for (const DeviceReport& device : system.devices) {
      if (std::ranges::find(devices_, device.device) == devices_.end()) continue;
      fmt::print("   {:<8}{} ({})\n", to_string(device.device), device.model, device.detail);
    }
  }

  double record(const std::string& name, const std::string& unit, std::vector<double> samples) {
    results_.push_back(summarise("demo." + name, unit, std::move(samples)));
    return results_.back().value;
  }
  double record(const std::string& name, const std::string& unit, double value) {
    return record(name, unit, std::vector{value});
  }

  std::string all_of(const std::vector<Device>& devices) const {
    return devices.size() == 2 ? "both at once" : fmt::format("all {} at once", devices.size());
  }

  double show_parallel() {
    say_heading(1,
                fmt::format("Devices at once: {} products of {} x {} matrices on each", plan_.parallel.count,
                            plan_.parallel.n, plan_.parallel.n),
                "seconds");
    std::deque<Factors> factors;
    for (const Device device : devices_) factors.emplace_back(plan_.parallel, device);
    const auto products_on = [&](std::size_t first, std::size_t last) {
      std::vector<std::vector<Tensor>> kept;
      return seconds_of([&] {
        for (std::size_t i = first; i < last; ++i) kept.push_back(submit_products(factors[i], plan_.parallel.count));
        wait_all();
      });
    };
    // Memory is touched for the first time, and what was made is looked at.
    for (const Factors& one : factors) check_products(submit_products(one, plan_.parallel.count), one);

    std::vector<std::vector<double>> alone(devices_.size());
    std::vector<double> together;
    for (int sample = 0; sample < samples_; ++sample) {
      for (std::size_t i = 0; i < devices_.size(); ++i) {
        progress_.show((sample + 0.3 * static_cast<double>(i)) / samples_, to_string(devices_[i]));
        alone[i].push_back(products_on(i, i + 1));
      }
      together.push_back(products_on(0, devices_.size()));
    }
    progress_.clear();
    double slowest = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const double seconds = record("parallel." + to_string(devices_[i]), "s", alone[i]);
      slowest = std::max(slowest, seconds);
      say_row(to_string(devices_[i]) + " alone", seconds_text(seconds));
    }
    const double all = record("parallel.all", "s", together);
    record("parallel.ratio", "ratio", all / slowest);
    say_row(all_of(devices_), seconds_text(all), bold(times(all / slowest)) + " the slower one alone");
    return all;
  }

  double show_overlap() {
    const Device from = devices_.front(), to = copy_target(from);
    progress_.show(0, "looking for products that take as long to make as to copy");
    if (!options_.size) plan_.overlap = balance(plan_.overlap.n, plan_.overlap.count, from, to);
    progress_.clear();
    const auto [n, inner, count] = plan_.overlap;
    say_heading(2,
                fmt::format("Computing and copying at once: {} products of {} x {} with {} x {}, copied from {} to {}",
                            count, n, inner, inner, n, to_string(from), to_string(to)),
                "seconds");
    const Factors factors(plan_.overlap, from);
    measure_run_and_copy(factors, count, to);
    std::vector<OverlapTimes> samples;
    for (int sample = 0; sample < samples_; ++sample) samples.push_back(measure_overlap(factors, count, to));
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
    say_row("run", seconds_text(run));
    say_row("copy", seconds_text(copy));
    say_row("run and copy", seconds_text(both),
            fmt::format("{} the larger of the two; one after the other is {}", bold(times(both / larger)),
                        times((run + copy) / larger)));
    return both;
  }

  TrainingOutcome show_training() {
    say_heading(
        3,
        fmt::format("Training 784-256-10 on Fashion-MNIST: each batch of 256 split over {} devices", devices_.size()),
        "images a second");
    TrainingOptions options{.devices = devices_, .epochs = plan_.epochs, .stamp = true};
    const auto on_progress = [&](double fraction, std::string_view what) { progress_.show(fraction, what); };
    const TrainingOutcome training = train(data_, options, on_progress, [&](int epoch, const EpochReport& report) {
      progress_.clear();
      say_row(fmt::format("epoch {}", epoch), fmt::format("{:.0f}", report.images_a_second),
              fmt::format("loss {:.4f}, test accuracy {}", report.loss,
                          bold(fmt::format("{:.2f} %", 100 * report.accuracy))));
    });
    record("training.images", "images/s", training.images_a_second());
    record("training.loss", "nats", training.epochs.back().loss);
    record("training.accuracy", "fraction", training.epochs.back().accuracy);

    options.stamp = false;
    options.wait_before_sending = true;
    options.epochs = 1;
    const TrainingOutcome waiting = train(data_, options, on_progress, [](int, const EpochReport&) {});
    progress_.clear();
    record("training.waiting_images", "images/s", waiting.images_a_second());
    say_row("waiting before gradients are sent", fmt::format("{:.0f}", waiting.images_a_second()),
            fmt::format("the same, with a wait_all between backward and sending: {} as many",
                        times(waiting.images_a_second() / training.images_a_second())));
    const double lead = record("training.lead", "s", training.leads);
    fmt::print("   The first gradient was on {} {:.0f} us {} the end of backward on {} (median of {} steps).\n",
               to_string(devices_.front()), 1e6 * std::abs(lead), lead >= 0 ? "before" : "after",
               to_string(devices_.back()), training.leads.size());
    return training;
  }

  void compare_with_serial_engine(double parallel, double run_and_copy, const TrainingOutcome& training) {
    say_heading(4, "The same program, one statement at a time (STRETTO_ENGINE=serial)", "seconds");
    const SerialOutcome serial =
        run_serially(plan_, [&](double fraction, std::string_view what) { progress_.show(fraction, what); });
    progress_.clear();
    record("serial.parallel", "s", serial.parallel);
    record("serial.run_and_copy", "s", serial.run_and_copy);
    record("serial.images", "images/s", serial.images_a_second);
    const auto faster = [](double ratio) { return fmt::format("as it was above: {} as fast", bold(times(ratio))); };
    say_row("products on all devices", seconds_text(serial.parallel), faster(serial.parallel / parallel));
    say_row("run and copy", seconds_text(serial.run_and_copy), faster(serial.run_and_copy / run_and_copy));
    say_row("training, images a second", fmt::format("{:.0f}", serial.images_a_second),
            faster(training.images_a_second() / serial.images_a_second));
    const bool equal = serial.fingerprint == training.fingerprint;
    fmt::print("   Weights after {} {}: {:016x}, of the serial engine: {:016x}, {}.\n", plan_.epochs,
               plan_.epochs == 1 ? "epoch" : "epochs", training.fingerprint, serial.fingerprint,
               equal ? green("equal bit for bit") : bold("different"));
    if (!equal) throw Error("the trained weights differ from those of the serial engine");
    fmt::print("\nAll of it was ordinary sequential code: no stream, no thread, no lock, no wait but the last.\n");
  }

  DemoOptions options_;
  FashionMnist data_;
  std::vector<Device> devices_;
  DemoPlan plan_;
  int samples_;
  ProgressBar progress_;
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
  verb->add_flag("--quick", options->quick, "Small sizes and one epoch: some 5 s instead of 30");
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
