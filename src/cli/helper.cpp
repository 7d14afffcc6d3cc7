#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <stretto/ops/matmul.h>
#include <stretto/tensor/devices.h>

#include "cli/bench/groups.h"
#include "cli/bench/library_product.h"
#include "cli/bench/overlap.h"
#include "cli/bench/pending_memory.h"
#include "cli/check/generator.h"
#include "cli/check/player.h"
#include "cli/check/printer.h"
#include "cli/demo/departures.h"
#include "cli/demo/serial_engine.h"
#include "cli/verbs.h"

namespace stretto::cli {
namespace {

/// One line of JSON for the process that started this one.
void tell_parent(const nlohmann::json& message) {
  fmt::print("{}\n", message.dump());
  std::fflush(stdout);
}

int measure_group(const std::string& name, const BenchOptions& options) {
  BenchRun run(
      options,
      [](const Result& result) {
        tell_parent({{"name", result.name},
                     {"value", result.value},
                     {"unit", result.unit},
                     {"min", result.minimum},
                     {"max", result.maximum}});
      },
      [](double fraction, std::string_view figure) { tell_parent({{"progress", fraction}, {"figure", figure}}); });
  const auto groups = bench_groups();
  const auto group = std::ranges::find(groups, name, &BenchGroup::name);
  if (group == groups.end()) return wrong_usage;
  set_float32_matmul_precision(options.precision);
  group->run(run);
  run.finish();
  return success;
}

}  // namespace

void add_helper(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("helper")->group("");
  verb->require_subcommand(1);

  struct GroupArguments {
    std::string name;
    BenchOptions options;
  };
  auto arguments = std::make_shared<GroupArguments>();
  CLI::App* group = verb->add_subcommand("bench");
  group->add_option("group", arguments->name)->required();
  add_bench_options(*group, arguments->options);
  group->callback(
      [arguments, &action] { action = [arguments] { return measure_group(arguments->name, arguments->options); }; });

  auto device = std::make_shared<std::string>();
  CLI::App* pending = verb->add_subcommand("pending-memory");
  pending->add_option("device", *device)->required();
  pending->callback([device, &action] {
    action = [device] {
      fmt::print("{}\n", pending_memory(Device::parse(*device)));
      return success;
    };
  });

  auto products = std::make_shared<std::vector<long>>();
  CLI::App* cold = verb->add_subcommand("overlap-cold");
  cold->add_option("device", *device)->required();
  cold->add_option("products", *products)->required()->expected(4);
  cold->callback([device, products, &action] {
    action = [device, products] {
      fmt::print("{}\n", cold_run_and_copy(*device, *products));
      return success;
    };
  });

  CLI::App* gpus = verb->add_subcommand("count-gpus");
  gpus->callback([&action] {
    action = [] {
      fmt::print("{}\n", device_count(DeviceKind::cuda));
      return success;
    };
  });

  struct DepartureArguments {
    std::string data;
    int steps = 0;
  };
  auto steps = std::make_shared<DepartureArguments>();
  CLI::App* departures = verb->add_subcommand("departures");
  departures->add_option("data", steps->data)->required();
  departures->add_option("steps", steps->steps)->required();
  departures->callback(
      [steps, &action] { action = [steps] { return train_for_departures(steps->data, steps->steps); }; });

  struct CheckArguments {
    std::vector<std::string> devices;
    std::string wrong;
  };
  auto played = std::make_shared<CheckArguments>();
  CLI::App* check = verb->add_subcommand("check");
  check->add_option("--device", played->devices);
  check->add_option("--wrong", played->wrong);
  check->callback([played, &action] { action = [played] { return serve_programs(played->devices, played->wrong); }; });

  auto seed = std::make_shared<std::uint64_t>(0);
  CLI::App* source = verb->add_subcommand("check-source");
  source->add_option("seed", *seed)->required();
  source->add_option("--device", played->devices)->required();
  source->callback([seed, played, &action] {
    action = [seed, played] {
      std::vector<Device> devices;
      for (const std::string& name : played->devices) devices.push_back(Device::parse(name));
      const std::string comment =
          fmt::format("// The program of seed {} of stretto check.\n// clang-format off\n", *seed);
      fmt::print("{}", to_source(generate_program(*seed, devices), comment));
      return success;
    };
  });

  CLI::App* serial = verb->add_subcommand("serial-engine");
  serial->callback([&action] { action = &serve_serial_engine; });

  auto size = std::make_shared<std::int64_t>(0);
  CLI::App* library = verb->add_subcommand("library-product");
  library->add_option("size", *size)->required();
  library->callback([size, &action] {
    action = [size] {
      serve_library_product(*size);
      return success;
    };
  });
}

}  // namespace stretto::cli
