#include "cli/demo/serial_engine.h"

#include <fmt/format.h>

#include <cstdio>
#include <deque>
#include <iostream>
#include <nlohmann/json.hpp>

#include <stretto/base/error.h>

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

nlohmann::json time_products(const Products& products) {
  std::deque<Factors> factors;
  for (const Device device : several_devices()) factors.emplace_back(products, device);
  std::vector<double> alone;
  for (const Factors& one : factors) {
    submit_products(one, 1);
    // Memory for the products is touched for the first time: no part of what is measured.
    {
      std::vector<Tensor> touched;
      for (std::int64_t i = 0; i < products.count; ++i)
        touched.push_back(zeros({products.n, products.n}, one.left.device()));
      wait_all();
    }
    alone.push_back(seconds_of([&] {
      submit_products(one, products.count);
      wait_all();
    }));
  }
  return {{"alone", alone}};
}

nlohmann::json time_run_and_copy(const Products& products) {
  const Device from = several_devices().front(), to = copy_target(from);
  const Factors factors(products, from);
  measure_run_and_copy(factors, products.count, to);
  const OverlapTimes times = measure_overlap(factors, products.count, to);
  return {{"run", times.run}, {"copy", times.copy}};
}

nlohmann::json time_training(const nlohmann::json& request) {
  const FashionMnist data = load_fashion_mnist(request["data"].get<std::string>());
  const TrainingOutcome outcome = train(
      data, {.devices = several_devices(), .epochs = request["epochs"]},
      [](double fraction, std::string_view what) { tell({{"progress", fraction}, {"what", what}}); },
      [](int, const EpochReport&) {});
  return {{"images_a_second", outcome.images_a_second()}, {"fingerprint", outcome.fingerprint}};
}

}  // namespace

SerialEngine::SerialEngine() : process_({own_program(), "helper", "serial-engine"}, {{"STRETTO_ENGINE", "serial"}}) {}

nlohmann::json SerialEngine::ask(const nlohmann::json& request, const OnProgress& on_progress) {
  process_.write_line(request.dump());
  while (const auto line = process_.read_line()) {
    nlohmann::json message = nlohmann::json::parse(*line);
    if (!message.contains("progress")) return message;
    on_progress(message["progress"], "serial engine: " + message["what"].get<std::string>());
  }
  throw Error("the process with the serial engine failed");
}

std::vector<double> SerialEngine::measure_products(const Products& products) {
  return ask({{"products", to_json(products)}}, {})["alone"];
}

SerialEngine::RunAndCopy SerialEngine::measure_run_and_copy(const Products& products) {
  const nlohmann::json answer = ask({{"run_and_copy", to_json(products)}}, {});
  return {answer["run"], answer["copy"]};
}

SerialEngine::Training SerialEngine::train(int epochs, const std::string& data, const OnProgress& on_progress) {
  const nlohmann::json answer = ask({{"epochs", epochs}, {"data", data}}, on_progress);
  return {answer["images_a_second"], answer["fingerprint"]};
}

int serve_serial_engine() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const nlohmann::json request = nlohmann::json::parse(line);
    if (request.contains("products")) {
      tell(time_products(products_in(request["products"])));
    } else if (request.contains("run_and_copy")) {
      tell(time_run_and_copy(products_in(request["run_and_copy"])));
    } else {
      tell(time_training(request));
    }
  }
  return success;
}

}  // namespace stretto::cli
