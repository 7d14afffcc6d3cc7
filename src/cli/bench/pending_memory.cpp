#include "cli/bench/pending_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <string>
#include <vector>

#include <stretto/base/error.h>
#include <stretto/report/system.h>
#include <stretto/stretto.h>

#include "cli/bench/task_programs.h"
#include "cli/child_process.h"

namespace stretto::cli {
namespace {

using task_programs::Value;

// Below the number at which a submission waits.
constexpr int pending_tasks = 15'000;
constexpr auto longest_wait = std::chrono::seconds(20);

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

double pending_memory(Device device) {
  if (system_report().engine == "serial")
    throw Error("tasks.bytes_per_pending: the serial engine has no pending tasks");
  std::vector<Tensor> variables;
  for (int i = 0; i < task_programs::dag_variables; ++i) variables.push_back(from_vector<Value>({i}, device));
  const Tensor gate = from_vector<Value>({0}, device);
  const std::vector<task_programs::DagTask> tasks = task_programs::random_dag(pending_tasks);
  const auto submit = [&](const task_programs::DagTask& one) {
    task("update", device)
        .read(gate)
        .read(variables[one.first])
        .read(variables[one.second])
        .read_write(variables[one.target])
        .run([](TaskContext& c) {
          task_programs::update(*c.data<Value>(3), *c.data<const Value>(1), *c.data<const Value>(2));
        });
  };
  for (int i = 0; i < 16; ++i) submit(tasks[static_cast<std::size_t>(i)]);
  wait_all();

  std::promise<void> release;
  task("gate", device).write(gate).run([opened = release.get_future()](TaskContext&) {
    opened.wait_for(longest_wait);
  });
  const double before = resident_bytes();
  const auto start = std::chrono::steady_clock::now();
  for (const task_programs::DagTask& one : tasks) submit(one);
  const double after = resident_bytes();
  const bool held_back = std::chrono::steady_clock::now() - start >= longest_wait;
  release.set_value();
  wait_all();
  if (held_back) throw Error("tasks.bytes_per_pending: the tasks were held back; is STRETTO_MAX_INFLIGHT set?");
  return (after - before) / pending_tasks;
}

double pending_memory_in_new_process(Device device) {
  ChildProcess child({own_program(), "helper", "pending-memory", to_string(device)});
  const std::optional<std::string> line = child.read_line();
  if (child.wait() != 0 || !line) throw Error("tasks.bytes_per_pending: the process that measures it failed");
  return std::strtod(line->c_str(), nullptr);
}

}  // namespace stretto::cli
