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
/// Less is not worth a replay to those who look for repeats; of 64 the chain was found soon in one build, in another
/// never.
constexpr std::int64_t least_tasks = 100;
/// What is longer is not looked for.
constexpr std::int64_t tasks_of_found_dag = 8000;

std::vector<Tensor> make_variables(std::int64_t count) {
  std::vector<Tensor> variables;
  for (const Value value : first_values(count)) variables.push_back(from_vector<Value>({value}));
  return variables;
}

/// `submit` submits `tasks` tasks, and `update_all` does to a vector of values what they do to the variables.
template <typename Submit, typename Update>
ReplaySample replayed(const char* figure, Asked asked, std::int64_t count, std::int64_t tasks,
                      const std::vector<Tensor>& variables, Submit submit, Update update_all) {
  std::int64_t called = 0;
  const auto compiled = compile(submit);
  const auto call = [&] {
    ++called;
    if (asked == Asked::by_compile) {
      compiled();
    } else {
      submit();
    }
  };
  // None where nothing is replayed.
  ReplaySample sample{.nanoseconds = 0, .first = {}, .tasks = static_cast<double>(tasks)};
  sample.first = asked == Asked::by_compile ? until_first_replay(compiled, call).value_or(FirstReplay())
                                            : until_first_found_replay(call);
  const std::int64_t calls = std::max<std::int64_t>(1, count / tasks);
  const double seconds = seconds_of([&] {
    for (std::int64_t i = 0; i < calls; ++i) call();
    wait_all();
  });
  sample.nanoseconds = seconds * 1e9 / static_cast<double>(calls * tasks);
  std::vector<Value> expected = first_values(static_cast<std::int64_t>(variables.size()));
  for (std::int64_t i = 0; i < called; ++i) update_all(expected);
  std::vector<Value> values;
  for (const Tensor& variable : variables) values.push_back(variable.item<Value>());
  if (values != expected) throw Error(std::string(figure) + ": the variables differ from those of a serial loop");
  return sample;
}

constexpr auto update_on_cpu = [](TaskContext& context) { update(*context.data<Value>(0)); };

}  // namespace

ReplaySample replayed_independent(std::int64_t count) {
  const std::int64_t tasks = std::min(count, tasks_without_edges);
  const std::vector<Tensor> variables = make_variables(tasks);
  return replayed(
      "tasks.independent.replay", Asked::by_compile, count, tasks, variables,
      [&] {
        for (const Tensor& variable : variables) task("update", cpu()).read_write(variable).run(update_on_cpu);
      },
      [](std::vector<Value>& values) {
        for (Value& value : values) update(value);
      });
}

ReplaySample replayed_chain(std::int64_t count, Asked asked) {
  const std::int64_t tasks =
      asked == Asked::by_compile ? std::min(count, tasks_of_chain) : std::clamp(count, least_tasks, tasks_of_chain);
  const std::vector<Tensor> variables = make_variables(1);
  return replayed(
      "tasks.chain.replay", asked, count, tasks, variables,
      [&] {
        for (std::int64_t i = 0; i < tasks; ++i) task("update", cpu()).read_write(variables[0]).run(update_on_cpu);
      },
      [&](std::vector<Value>& values) {
        for (std::int64_t i = 0; i < tasks; ++i) update(values[0]);
      });
}

ReplaySample replayed_random_dag(std::int64_t count, Asked asked) {
  // Less than some for each variable would save nothing.
  const std::vector<DagTask> tasks =
      random_dag(asked == Asked::by_compile ? std::min(count, tasks_of_dag)
                                            : std::clamp<std::int64_t>(count, 4 * dag_variables, tasks_of_found_dag));
  const std::vector<Tensor> variables = make_variables(dag_variables);
  return replayed(
      "tasks.random_dag.replay", asked, count, static_cast<std::int64_t>(tasks.size()), variables,
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

void report_replays(BenchRun& run, const std::string& figure, const std::function<ReplaySample()>& sample) {
  if (!run.wants(figure)) return;
  const auto samples = run.collect(figure, sample);
  run.report(figure, "ns", values_of(samples, &ReplaySample::nanoseconds));
  if (samples.front().first.calls == 0) return;
  run.report(figure + ".calls", "calls", values_of(samples, [](const ReplaySample& one) { return one.first.calls; }));
  run.report(figure + ".first", "ns", values_of(samples, [](const ReplaySample& one) {
               return one.first.seconds * 1e9 / (one.first.calls * one.tasks);
             }));
}

}  // namespace stretto::cli
