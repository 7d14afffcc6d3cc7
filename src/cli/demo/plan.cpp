#include "cli/demo/plan.h"

#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <nlohmann/json.hpp>

#include "cli/child_process.h"
#include "cli/command_line.h"
#include "cli/devices.h"
#include "cli/seconds.h"

namespace stretto::cli {
namespace {

nlohmann::json to_json(const Products& products) { return {products.n, products.inner, products.count}; }

Products products_in(const nlohmann::json& list) { return {list.at(0), list.at(1), list.at(2)}; }

void tell(const nlohmann::json& message) {
  fmt::print("{}\n", message.dump());
  std::fflush(stdout);
}

}  // namespace

SerialOutcome run_serially(const DemoPlan& plan, const OnProgress& on_progress) {
  const nlohmann::json description = {{"parallel", to_json(plan.parallel)},
                                      {"overlap", to_json(plan.overlap)},
                                      {"epochs", plan.epochs},
                                      {"data", plan.data}};
  ChildProcess child({own_program(), "helper", "demo-serial", description.dump()}, {{"STRETTO_ENGINE", "serial"}});
  nlohmann::json result;
  while (const auto line = child.read_line()) {
    const nlohmann::json message = nlohmann::json::parse(*line);
    if (message.contains("progress")) {
      on_progress(message["progress"], "serial engine: " + message["what"].get<std::string>());
    } else {
      result = message;
    }
  }
  if (child.wait() != 0 || result.is_null()) throw Error("the process with the serial engine failed");
  return {result["parallel"], result["run_and_copy"], result["images_a_second"], result["accuracy"],
          result["fingerprint"]};
}

int serve_serial_demo(const std::string& description) {
  const nlohmann::json plan = nlohmann::json::parse(description);
  const OnProgress on_progress = [](double fraction, std::string_view what) {
    tell({{"progress", fraction}, {"what", what}});
  };
  const std::vector<Device> devices = several_devices();
  SerialOutcome outcome;

  on_progress(0, "products");
  const Products parallel = products_in(plan["parallel"]);
  std::deque<Factors> factors;
  for (const Device device : devices) factors.emplace_back(parallel, device);
  outcome.parallel = seconds_of([&] {
    for (const Factors& one : factors) submit_products(one, parallel.count);
    wait_all();
  });

  on_progress(0, "products and copies");
  const Products overlap = products_in(plan["overlap"]);
  const Factors overlap_factors(overlap, devices.front());
  const auto run_and_copy = [&] {
    return measure_run_and_copy(overlap_factors, overlap.count, copy_target(devices.front()));
  };
  run_and_copy();
  outcome.run_and_copy = run_and_copy();

  const FashionMnist data = load_fashion_mnist(plan["data"].get<std::string>());
  const TrainingOutcome training =
      train(data, {.devices = devices, .epochs = plan["epochs"]}, on_progress, [](int, const EpochReport&) {});
  tell({{"parallel", outcome.parallel},
        {"run_and_copy", outcome.run_and_copy},
        {"images_a_second", training.images_a_second()},
        {"accuracy", training.epochs.back().accuracy},
        {"fingerprint", training.fingerprint}});
  return success;
}

}  // namespace stretto::cli
