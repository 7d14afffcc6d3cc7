#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/cuda_programs.h"
#include "cli/bench/groups.h"
#include "cli/bench/peers.h"
#include "cli/bench/pending_memory.h"
#include "cli/bench/stencil.h"
#include "cli/bench/task_programs.h"
#include "cli/bench/task_replays.h"

namespace stretto::cli {
namespace {

using namespace task_programs;

constexpr std::int64_t usual_tasks = 1'000'000;
constexpr std::int64_t usual_count_on_gpu = 100'000;
/// Fewer, since each takes a copy to the device and one back.
constexpr std::int64_t independent_variables_on_gpu = 4096;
/// Of bare launches: as many as the runtime uses where nobody says otherwise.
constexpr int usual_streams = 4;
constexpr std::int64_t tile_extent = 4;
/// Of a chain that is compiled, on a GPU.
constexpr std::int64_t tasks_of_graph = 1000;

void check(const std::vector<Value>& values, const std::vector<Value>& expected, std::string_view figure) {
  if (values != expected) throw Error(fmt::format("{}: the variables differ from those of a serial loop", figure));
}

std::vector<Tensor> make_variables(std::int64_t count, Device device) {
  std::vector<Tensor> variables;
  for (const Value value : first_values(count)) variables.push_back(from_vector<Value>({value}, device));
  wait_all();
  return variables;
}

std::vector<Value> values_of(const std::vector<Tensor>& variables) {
  std::vector<Value> values;
  for (const Tensor& variable : variables) values.push_back(variable.item<Value>());
  return values;
}

/// Nanoseconds a task of `submit`, which submits `count` of them; waiting for the last is part of it.
double nanoseconds_a_task(std::int64_t count, const std::function<void()>& submit) {
  const double seconds = seconds_of([&] {
    submit();
    wait_all();
  });
  return seconds * 1e9 / static_cast<double>(count);
}

constexpr auto update_variable = [](TaskContext& context) {
  if (void* const stream = context.cuda_stream()) {
    check_cuda_program(cuda_programs().update(stream, context.data<Value>(0)));
  } else {
    update(*context.data<Value>(0));
  }
};

constexpr auto update_from_two = [](TaskContext& context) {
  Value* const target = context.data<Value>(2);
  const Value *const first = context.data<const Value>(0), *const second = context.data<const Value>(1);
  if (void* const stream = context.cuda_stream()) {
    check_cuda_program(cuda_programs().update_from_two(stream, target, first, second));
  } else {
    update(*target, *first, *second);
  }
};

double independent(std::int64_t count, std::int64_t most_variables, Device device) {
  const std::int64_t number = std::min(count, most_variables);
  const std::vector<Tensor> variables = make_variables(number, device);
  const double nanoseconds = nanoseconds_a_task(count, [&] {
    for (std::int64_t begin = 0; begin < count; begin += number) {
      wait_all();
      const std::int64_t end = std::min(count, begin + number);
      for (std::int64_t i = begin; i < end; ++i) {
        task("update", device).read_write(variables[static_cast<std::size_t>(i - begin)]).run(update_variable);
      }
    }
  });
  check(values_of(variables), serial_independent(count, number), "tasks.independent");
  return nanoseconds;
}

double chain(std::int64_t count, Device device) {
  const std::vector<Tensor> variables = make_variables(1, device);
  const double nanoseconds = nanoseconds_a_task(count, [&] {
    for (std::int64_t i = 0; i < count; ++i) task("update", device).read_write(variables[0]).run(update_variable);
  });
  check(values_of(variables), serial_independent(count, 1), "tasks.chain");
  return nanoseconds;
}

double submit_dag(const std::vector<DagTask>& tasks, const std::vector<Tensor>& variables, Device device) {
  return nanoseconds_a_task(static_cast<std::int64_t>(tasks.size()), [&] {
    for (const DagTask& one : tasks) {
      task("update", device)
          .read(variables[one.first])
          .read(variables[one.second])
          .read_write(variables[one.target])
          .run(update_from_two);
    }
  });
}

double on_variables(const std::vector<DagTask>& tasks, Device device) {
  const std::vector<Tensor> variables = make_variables(dag_variables, device);
  const double nanoseconds = submit_dag(tasks, variables, device);
  check(values_of(variables), serial_random_dag(tasks), "tasks.random_dag");
  return nanoseconds;
}

/// Every variable is the first element of a tile.
double on_tiles(const std::vector<DagTask>& tasks, Device device) {
  constexpr std::int64_t side = tiles_per_side * tile_extent;
  const Tensor whole = from_vector(std::vector<Value>(side * side), {side, side}, device);
  std::vector<Tensor> tiles;
  const std::vector<Value> values = first_values(dag_variables);
  for (std::int64_t i = 0; i < dag_variables; ++i) {
    const std::int64_t row = i / tiles_per_side * tile_extent, column = i % tiles_per_side * tile_extent;
    tiles.push_back(whole.narrow(0, row, tile_extent).narrow(1, column, tile_extent));
    tiles.back().fill_(values[static_cast<std::size_t>(i)]);
  }
  wait_all();
  const double nanoseconds = submit_dag(tasks, tiles, device);
  std::vector<Value> left;
  for (const Tensor& tile : tiles) left.push_back(tile.to_vector<Value>().front());
  check(left, serial_random_dag(tasks), "tasks.tiles");
  return nanoseconds;
}

/// Nanoseconds a launch of the same kernel by bare CUDA.
double bare_launches(std::int64_t count, int streams, Device device) {
  double seconds = 0;
  task("launches", device).run([&](TaskContext&) {
    check_cuda_program(cuda_programs().launch(count, streams, &seconds));
  });
  wait_all();
  return seconds * 1e9 / static_cast<double>(count);
}

/// A chain that is compiled: nanoseconds a task of its replays, once they are launched as fast as they will be.
class ReplayedChain {
  using Section = std::function<void()>;

 public:
  explicit ReplayedChain(Device device)
      : variables_(make_variables(1, device)), section_(compile(Section([this, device] {
          for (std::int64_t i = 0; i < tasks_of_graph; ++i)
            task("update", device).read_write(variables_[0]).run(update_variable);
        }))) {
    run(replays_before);
  }

  double measure(std::int64_t count) {
    const std::int64_t calls = std::max<std::int64_t>(1, count / tasks_of_graph);
    const double nanoseconds = nanoseconds_a_task(calls * tasks_of_graph, [&] { submit(calls); });
    check(values_of(variables_), serial_independent(submitted_ * tasks_of_graph, 1), "tasks.cuda.chain.replay");
    return nanoseconds;
  }

 private:
  void submit(std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) section_();
    submitted_ += calls;
  }
  void run(std::int64_t calls) {
    for (std::int64_t call = 0; call < calls; ++call) {
      submit(1);
      wait_all();
    }
    submit(calls);
    wait_all();
  }

  static constexpr std::int64_t replays_before = 12;

  std::vector<Tensor> variables_;
  CompiledFunction<Section> section_;
  std::int64_t submitted_ = 0;
};

/// Nanoseconds a node of a bare CUDA graph that launches the same kernel.
double bare_graph(std::int64_t count, Device device) {
  const std::int64_t launches = std::max<std::int64_t>(1, count / tasks_of_graph);
  double seconds = 0;
  task("launches", device).run([&](TaskContext&) {
    check_cuda_program(cuda_programs().launch_graph(tasks_of_graph, launches, &seconds));
  });
  wait_all();
  return seconds * 1e9 / static_cast<double>(launches * tasks_of_graph);
}

/// Tasks that launch a kernel each, and the launch alone right before: from one moment to the next the same launches
/// take up to a third longer.
void bench_on_gpu(Device device, BenchRun& run) {
  const std::int64_t count = run.options().count.value_or(usual_count_on_gpu);
  const std::vector<DagTask> tasks = random_dag(count);
  const auto name_of = [&](const char* name) { return device.index() == 0 ? name : figure_on(name, device); };
  struct Sample {
    double bare;
    double ours;
  };
  const auto measure = [&](const char* figure, int streams, const std::function<double()>& sample) {
    if (!run.wants(figure)) return;
    const std::string name = name_of(figure);
    const auto samples =
        run.collect(name, [&] { return Sample{.bare = bare_launches(count, streams, device), .ours = sample()}; });
    run.report(name, "ns", cli::values_of(samples, &Sample::ours));
    run.report(name + ".ratio", "ratio", cli::values_of(samples, [](const Sample& s) { return s.ours / s.bare; }));
  };
  if (run.wants("tasks.cuda.chain.replay")) {
    ReplayedChain replayed(device);
    const std::string name = name_of("tasks.cuda.chain.replay");
    const auto samples =
        run.collect(name, [&] { return Sample{.bare = bare_graph(count, device), .ours = replayed.measure(count)}; });
    run.report(name, "ns", cli::values_of(samples, &Sample::ours));
    run.report(name + ".graph", "ns", cli::values_of(samples, &Sample::bare));
    run.report(name + ".ratio", "ratio", cli::values_of(samples, [](const Sample& s) { return s.ours / s.bare; }));
  }
  const auto measure_launches = [&](const char* figure, int streams) {
    if (!run.wants(figure)) return;
    const std::string name = name_of(figure);
    run.report(name, "ns", run.collect(name, [&] { return bare_launches(count, streams, device); }));
  };
  measure_launches("tasks.cuda.launch", 1);
  measure_launches("tasks.cuda.launch.streams", usual_streams);
  measure("tasks.cuda.independent", usual_streams,
          [&] { return independent(count, independent_variables_on_gpu, device); });
  measure("tasks.cuda.chain", 1, [&] { return chain(count, device); });
  measure("tasks.cuda.random_dag", usual_streams, [&] { return on_variables(tasks, device); });
}

/// Independent tasks in turn on all devices, and for comparison on the first alone: nanoseconds a task.
void bench_on_all_gpus(const std::vector<Device>& devices, BenchRun& run) {
  const std::int64_t count = run.options().count.value_or(usual_count_on_gpu);
  const std::int64_t number = std::min(count, independent_variables_on_gpu);
  struct Sample {
    double one;
    double all;
  };
  const auto on_all = [&] {
    const auto parts = static_cast<std::int64_t>(devices.size());
    std::vector<std::vector<Tensor>> variables;
    for (const Device device : devices) variables.push_back(make_variables(number, device));
    const double nanoseconds = nanoseconds_a_task(count * parts, [&] {
      for (std::int64_t i = 0; i < count * parts; ++i) {
        const auto part = static_cast<std::size_t>(i % parts);
        if (i % (number * parts) == 0) wait_all();
        task("update", devices[part])
            .read_write(variables[part][static_cast<std::size_t>(i / parts % number)])
            .run(update_variable);
      }
    });
    for (const std::vector<Tensor>& of_one : variables)
      check(values_of(of_one), serial_independent(count, number), "tasks.cuda.all");
    return nanoseconds;
  };
  const auto samples = run.collect("tasks.cuda.all", [&] {
    return Sample{independent(count, independent_variables_on_gpu, devices.front()), on_all()};
  });
  run.report("tasks.cuda.all", "ns", cli::values_of(samples, &Sample::all));
  run.report("tasks.cuda.all.ratio", "ratio", cli::values_of(samples, [](const Sample& s) { return s.all / s.one; }));
}

void bench_on(Device device, BenchRun& run) {
  const std::int64_t count = run.options().count.value_or(usual_tasks);
  const auto measure = [&](const std::string& figure, const std::function<double()>& sample) {
    if (!run.wants(figure)) return;
    const std::string name = figure_on(figure, device);
    run.report(name, "ns", run.collect(name, sample));
    if (device == cpu() && figure != "tasks.tiles") bench_peers(run, figure, count);
  };
  measure("tasks.independent", [&] { return independent(count, independent_variables, device); });
  measure("tasks.chain", [&] { return chain(count, device); });
  if (run.wants("tasks.random_dag") || run.wants("tasks.tiles")) {
    const std::vector<DagTask> tasks = random_dag(count);
    measure("tasks.random_dag", [&] { return on_variables(tasks, device); });
    measure("tasks.tiles", [&] { return on_tiles(tasks, device); });
  }
  if (device == cpu()) {
    report_replays(run, "tasks.independent.replay", [&] { return replayed_independent(count); });
    report_replays(run, "tasks.chain.replay", [&] { return replayed_chain(count, Asked::by_compile); });
    report_replays(run, "tasks.random_dag.replay", [&] { return replayed_random_dag(count, Asked::by_compile); });
  }
  if (run.wants("tasks.metg50")) {
    const std::string name = figure_on("tasks.metg50", device);
    run.report(name, "us", run.collect(name, [&] { return stencil_metg50(device); }));
  }
  if (run.wants("tasks.bytes_per_pending")) {
    const std::string name = figure_on("tasks.bytes_per_pending", device);
    run.report(name, "bytes", {pending_memory_in_new_process(device)});
  }
}

}  // namespace

void bench_tasks(BenchRun& run) {
  std::vector<Device> gpus;
  for (const Device device : run.devices({cpu()})) {
    if (device.kind() == DeviceKind::cuda) {
      gpus.push_back(device);
      bench_on_gpu(device, run);
    } else {
      bench_on(device, run);
    }
  }
  if (gpus.size() > 1 && run.wants("tasks.cuda.all")) bench_on_all_gpus(gpus, run);
}

}  // namespace stretto::cli
