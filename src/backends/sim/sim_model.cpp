#include "backends/sim/sim_model.h"

#include <fmt/format.h>
#include <stretto/base/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <span>
#include <string>

#include "base/environment.h"

namespace stretto {
namespace {

double seconds(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

SimTime time_of(double seconds) { return SimTime(static_cast<std::int64_t>(std::llround(seconds * 1e9))); }

/// An H200 on PCIe 5 x16: arithmetic in float32, memory, copies and events as measured; arithmetic in other types as
/// three quarters of what its maker promises; in a machine with 16 cores.
SimModel h200() {
  SimModel model;
  model.launch = std::chrono::nanoseconds(2000);
  model.event = std::chrono::nanoseconds(3000);
  model.float64 = 50e12;
  model.float32 = 48.8e12;
  model.float16 = 740e12;
  model.bfloat16 = 740e12;
  model.integer = 25e12;
  model.memory = 4243e9;
  model.to_host = 55e9;
  model.from_host = 54e9;
  model.peer = 385e9;
  // Together the 27 GB/s that copies from ordinary memory were measured at.
  model.staging_threads = 8;
  model.staging = 3.4e9;
  return model;
}

/// An item of the text with a value. `set` returns false where the value is not one.
struct Named {
  std::string_view name;
  std::string_view allowed;
  std::function<bool(SimDeviceOptions&, std::string_view)> set;
};

std::optional<double> parse_positive(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number) || number <= 0)
    return std::nullopt;
  return number;
}

std::optional<double> parse_rate(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  double factor = 1;
  if (const auto unit = text.empty() ? units.npos : units.find(text.back()); unit != units.npos) {
    factor = std::pow(1000, static_cast<double>(unit + 1));
    text.remove_suffix(1);
  }
  const auto number = parse_positive(text);
  return number ? std::optional(*number * factor) : std::nullopt;
}

std::optional<SimTime> parse_time(std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  for (const auto& [unit, nanoseconds] : units) {
    if (!text.ends_with(unit)) continue;
    text.remove_suffix(unit.size());
    const auto number = parse_positive(text);
    if (!number || *number * nanoseconds > 1e15) return std::nullopt;
    return SimTime(static_cast<std::int64_t>(std::llround(*number * nanoseconds)));
  }
  return std::nullopt;
}

Named rate(std::string_view name, double SimModel::* field) {
  return {name, "a rate a second, such as 500M, 55G or 48.8T",
          [field](SimDeviceOptions& options, std::string_view text) {
            const auto value = parse_rate(text);
            if (value) options.model.*field = *value;
            return value.has_value();
          }};
}

Named time(std::string_view name, SimTime SimModel::* field) {
  return {name, "a time, such as 800ns, 3us or 2ms", [field](SimDeviceOptions& options, std::string_view text) {
            const auto value = parse_time(text);
            if (value) options.model.*field = *value;
            return value.has_value();
          }};
}

Named count(std::string_view name, std::uint64_t SimFaults::* field) {
  return {name, "a number from 1", [field](SimDeviceOptions& options, std::string_view text) {
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.faults.*field);
            return error == std::errc() && end == text.data() + text.size() && options.faults.*field > 0;
          }};
}

const std::vector<Named>& named_values() {
  static const std::vector<Named> table = {
      time("launch", &SimModel::launch),
      time("event", &SimModel::event),
      rate("float64", &SimModel::float64),
      rate("float32", &SimModel::float32),
      rate("float16", &SimModel::float16),
      rate("bfloat16", &SimModel::bfloat16),
      rate("integer", &SimModel::integer),
      rate("memory", &SimModel::memory),
      rate("to_host", &SimModel::to_host),
      rate("from_host", &SimModel::from_host),
      rate("peer", &SimModel::peer),
      rate("staging", &SimModel::staging),
      {"speed", "a factor, such as 0.5",
       [](SimDeviceOptions& options, std::string_view text) {
         const auto factor = parse_positive(text);
         if (factor) options.model.scale(*factor);
         return factor.has_value();
       }},
      {"capacity", "bytes, with K, M or G for powers of 1024",
       [](SimDeviceOptions& options, std::string_view text) {
         options.memory_bytes = parse_size(text);
         return options.memory_bytes.value_or(0) > 0;
       }},
      {"staging_threads", "a number from 1 to 16",
       [](SimDeviceOptions& options, std::string_view text) {
         int& threads = options.model.staging_threads;
         const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
         return error == std::errc() && end == text.data() + text.size() && threads >= 1 && threads <= 16;
       }},
      count("lost_at", &SimFaults::lost_at),
      count("no_memory_at", &SimFaults::no_memory_at),
      count("no_stream_at", &SimFaults::no_stream_at),
      count("no_event_at", &SimFaults::no_event_at),
  };
  return table;
}

struct Switch {
  std::string_view name;
  void (*set)(SimDeviceOptions&);
};

constexpr Switch switches[] = {
    {"h200", [](SimDeviceOptions& options) { options.model = h200(); }},
    {"dry", [](SimDeviceOptions& options) { options.model.dry = true; }},
    {"protect", [](SimDeviceOptions& options) { options.protect = true; }},
    {"staged_peers", [](SimDeviceOptions& options) { options.peer_access = false; }},
};

std::string all_names() {
  std::string names;
  for (const Switch& one : switches) names += (names.empty() ? "" : ", ") + std::string(one.name);
  for (const Named& one : named_values()) names += ", " + std::string(one.name) + "=";
  return names;
}

/// What is wrong with an item that stands without `sim:K.` before it; empty where it was put into the options.
std::string set_item(std::span<SimDeviceOptions> devices, std::string_view item) {
  const auto equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  if (equals == std::string_view::npos) {
    const auto found = std::ranges::find(switches, name, &Switch::name);
    if (found == std::end(switches))
      return fmt::format("\"{}\" is nothing that can be said of a simulated device; what can be: {}", name,
                         all_names());
    for (SimDeviceOptions& device : devices) found->set(device);
    return {};
  }
  const auto found = std::ranges::find(named_values(), name, &Named::name);
  if (found == named_values().end())
    return fmt::format("\"{}\" is nothing that a simulated device has; what there is: {}", name, all_names());
  for (SimDeviceOptions& device : devices)
    if (!found->set(device, item.substr(equals + 1)))
      return fmt::format("\"{}\": the value must be {}", item, found->allowed);
  return {};
}

std::string set_item_of(std::span<SimDeviceOptions> devices, std::string_view item) {
  constexpr std::string_view prefix = "sim:";
  if (!item.starts_with(prefix)) return set_item(devices, item);
  const auto dot = item.find('.');
  const std::string_view number = item.substr(prefix.size(), dot - prefix.size());
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (dot == std::string_view::npos || error != std::errc() || end != number.data() + number.size())
    return fmt::format("\"{}\" must be written sim:K.name=value, K the device's number", item);
  if (index >= devices.size())
    return fmt::format("\"{}\": the simulated devices of this process are sim:0 to sim:{}", item, devices.size() - 1);
  return set_item(devices.subspan(index, 1), item.substr(dot + 1));
}

}  // namespace

SimTime SimModel::kernel_time(const KernelCost& cost) const {
  const auto rate = [&] {
    switch (cost.dtype) {
      case DType::float64: return float64;
      case DType::float32: return float32;
      case DType::float16: return float16;
      case DType::bfloat16: return bfloat16;
      default: return integer;
    }
  };
  return time_of(std::max(seconds(cost.flops, rate()), seconds(cost.bytes, memory)));
}

SimTime SimModel::copy_time(std::size_t bytes, double rate) {
  return time_of(seconds(static_cast<double>(bytes), rate));
}

void SimModel::scale(double factor) {
  for (double SimModel::* rate :
       {&SimModel::float64, &SimModel::float32, &SimModel::float16, &SimModel::bfloat16, &SimModel::integer,
        &SimModel::memory, &SimModel::to_host, &SimModel::from_host, &SimModel::peer})
    this->*rate *= factor;
}

std::vector<SimDeviceOptions> parse_sim_model(std::string_view text, int devices) {
  std::vector<SimDeviceOptions> options(static_cast<std::size_t>(devices));
  if (text.empty() || devices == 0) return options;
  for (std::string_view rest = text;;) {
    const auto comma = rest.find(',');
    const std::string wrong = set_item_of(options, rest.substr(0, comma));
    if (!wrong.empty()) throw UsageError(fmt::format("environment variable STRETTO_SIM_MODEL={}: {}", text, wrong));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return options;
}

}  // namespace stretto
