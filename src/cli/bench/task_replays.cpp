#include "cli/bench/task_replays.h"

#include <algorithm>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/stretto.h>

#include "cli/bench/task_programs.h"
#include "cli/seconds.h"

namespace stretto::cli {
namespace {

using namespace task_programs;

/// How many tasks one call submits at most.
constexpr std::int64_t tasks_of_chain = 10'000, tasks_of_dag = 100'000, tasks_without_edges = 1000;

std::vector<Tensor> make_variables(std::int64_t count) {
  std::vector<Tensor> variables;
  for (const Value value : first_values(count)) variables.push_back(from_vector<Value>({value}));
  return variables;
}

/// `submit` submits `tasks` tasks, and `update_all` does to a vector of values what they do to the variables.
template <typename Submit, typename Update>
double replayed(const char* figure, std::int64_t count, std::int64_t tasks, const std::vector<Tensor>& variables,
                Submit submit, Update update_all) {
  const std::int64_t calls = std::max<std::int64_t>(1, count / tasks);
  const auto section = compile(submit);
  section();
  wait_all();
  const double seconds = seconds_of([&] {
    for (std::int64_t call = 0; call < calls; ++call) section();
    wait_all();
  });
  std::vector<Value> expected = first_values(static_cast<std::int64_t>(variables.size()));
  for (std::int64_t call = 0; call < calls + 1; ++call) update_all(expected);
  std::vector<Value> values;
  for (const Tensor& variable : variables) values.push_back(variable.item<Value>());
  if (values != expected) throw Error(std::string(figure) + ": the variables differ from those of a serial loop");
  return seconds * 1e9 / static_cast<double>(calls * tasks);
}

constexpr auto update_on_cpu = [](TaskContext& context) { update(*context.data<Value>(0)); };

}  // namespace

double replayed_independent(std::int64_t count) {
  const std::int64_t tasks = std::min(count, tasks_without_edges);
  const std::vector<Tensor> variables = make_variables(tasks);
  return replayed(
      "tasks.independent.replay", count, tasks, variables,
      [&] {
        for (const Tensor& variable : variables) task("update", cpu()).read_write(variable).run(update_on_cpu);
      },
      [](std::vector<Value>& values) {
        for (Value& value : values) update(value);
      });
}

double replayed_chain(std::int64_t count) {
  const std::int64_t tasks = std::min(count, tasks_of_chain);
  const std::vector<Tensor> variables = make_variables(1);
  return replayed(
      "tasks.chain.replay", count, tasks, variables,
      [&] {
        for (std::int64_t i = 0; i < tasks; ++i) task("update", cpu()).read_write(variables[0]).run(update_on_cpu);
      },
      [&](std::vector<Value>& values) {
        for (std::int64_t i = 0; i < tasks; ++i) update(values[0]);
      });
}

double replayed_random_dag(std::int64_t count) {
  const std::vector<DagTask> tasks = random_dag(std::min(count, tasks_of_dag));
  const std::vector<Tensor> variables = make_variables(dag_variables);
  return replayed(
      "tasks.random_dag.replay", count, static_cast<std::int64_t>(tasks.size()), variables,
      [&] {
        for (const DagTask& one : tasks) {
          task("update", cpu())
              .read(variables[one.first])
              .read(variables[one.second])
              .read_write(variables[one.target])
              .run([](TaskContext& context) {
                update(*context.data<Value>(2), *context.data<const Value>(0), *context.data<const Value>(1));
              });
        }
      },
      [&](std::vector<Value>& values) {
        for (const DagTask& task : tasks) update(values[task.target], values[task.first], values[task.second]);
      });
}

}  // namespace stretto::cli
