#include "cli/demo/departures.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include <stretto/base/error.h>
#include <stretto/base/temporary_file.h>

#include "cli/child_process.h"
#include "cli/command_line.h"
#include "cli/devices.h"
#include "cli/training/trainer.h"

namespace stretto::cli {
namespace {

/// In microseconds.
struct Span {
  double begin;
  double end;
};

struct Timeline {
  std::vector<Span> sends;    ///< Copies of gradients to the first device.
  std::vector<Span> kernels;  ///< Of the network, on the other devices, in the order of their ends.
};

Timeline read_timeline(const std::string& path) {
  const std::string first = to_string(several_devices().front());
  const std::string send = std::string(Trainer::gradient_site) + ":";
  const nlohmann::json document = nlohmann::json::parse(std::ifstream(path));
  Timeline timeline;
  for (const nlohmann::json& event : document["traceEvents"]) {
    if (event["ph"] != "X" || event["cat"] != "task") continue;
    const std::string line = event["args"].value("line", "");
    const Span span{event["ts"], event["ts"].get<double>() + event["dur"].get<double>()};
    if (line.starts_with(send)) {
      if (std::stoi(line.substr(send.size())) <= Parameters::count) timeline.sends.push_back(span);
    } else if (line.starts_with("network.cpp:") && event["args"]["device"] != first) {
      timeline.kernels.push_back(span);
    }
  }
  std::ranges::sort(timeline.sends, {}, &Span::begin);
  std::ranges::sort(timeline.kernels, {}, &Span::end);
  return timeline;
}

}  // namespace

std::vector<double> measure_departures(const std::string& data, int steps) {
  const TemporaryFile file("timeline");
  ChildProcess child({own_program(), "helper", "departures", data, std::to_string(steps)},
                     {{"STRETTO_TRACE", file.path()}});
  if (child.wait() != 0) throw Error("the process whose timeline is read failed");
  const Timeline timeline = read_timeline(file.path());
  // A device sends the gradients of a step behind those of the step before.
  const std::size_t sends_a_step = Parameters::count * (several_devices().size() - 1);
  std::vector<double> leads;
  for (std::size_t i = 0; i + sends_a_step <= timeline.sends.size(); i += sends_a_step) {
    const auto sends = std::span(timeline.sends).subspan(i, sends_a_step);
    // The last gradient is sent right behind the kernel that made it.
    const auto later = std::ranges::upper_bound(timeline.kernels, sends.back().begin, {}, &Span::end);
    if (later == timeline.kernels.begin()) continue;
    leads.push_back(1e-6 * (std::prev(later)->end - std::ranges::min(sends, {}, &Span::end).end));
  }
  if (leads.empty()) throw Error("the timeline of the training shows no gradient");
  return leads;
}

int train_for_departures(const std::string& data, int steps) {
  Trainer(load_fashion_mnist(data), {.devices = several_devices()}).train_steps(steps);
  return success;
}

}  // namespace stretto::cli
