#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cli/bench/task_programs.h"

/// What the peers of the tasks bench share: `PEER PROGRAM COUNT REPEAT` prints the nanoseconds a task of the program
/// took, one line for each repetition. PROGRAM is independent, chain or random_dag, as `cli/bench/task_programs.h`
/// defines them. The exit code is 1 when a variable is not what a serial loop makes it.
namespace peer {

using namespace stretto::cli::task_programs;

struct Peer {
  /// Each runs `count` tasks over `values` and waits for them.
  void (*independent)(std::vector<Value>& values, std::int64_t count);
  void (*chain)(Value& value, std::int64_t count);
  void (*random_dag)(std::vector<Value>& values, const std::vector<DagTask>& tasks);
};

template <typename Run>
double nanoseconds_a_task(std::int64_t count, Run run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return seconds * 1e9 / static_cast<double>(count);
}

inline int run(int argc, char** argv, const Peer& peer) {
  const std::string program = argc == 4 ? argv[1] : "";
  const std::int64_t count = argc == 4 ? std::atoll(argv[2]) : 0;
  const int repeat = argc == 4 ? std::atoi(argv[3]) : 0;
  if (count < 1 || repeat < 1) {
    std::fprintf(stderr, "usage: %s independent|chain|random_dag COUNT REPEAT\n", argv[0]);
    return 2;
  }
  for (int i = 0; i < repeat; ++i) {
    double nanoseconds = 0;
    bool equal = false;
    if (program == "independent") {
      const std::int64_t number = count < independent_variables ? count : independent_variables;
      std::vector<Value> values = first_values(number);
      nanoseconds = nanoseconds_a_task(count, [&] { peer.independent(values, count); });
      equal = values == serial_independent(count, number);
    } else if (program == "chain") {
      std::vector<Value> values = first_values(1);
      nanoseconds = nanoseconds_a_task(count, [&] { peer.chain(values[0], count); });
      equal = values == serial_independent(count, 1);
    } else if (program == "random_dag") {
      const std::vector<DagTask> tasks = random_dag(count);
      std::vector<Value> values = first_values(dag_variables);
      nanoseconds = nanoseconds_a_task(count, [&] { peer.random_dag(values, tasks); });
      equal = values == serial_random_dag(tasks);
    } else {
      std::fprintf(stderr, "%s: there is no program %s\n", argv[0], program.c_str());
      return 2;
    }
    if (!equal) {
      std::fprintf(stderr, "%s: %s left values that differ from those of a serial loop\n", argv[0], program.c_str());
      return 1;
    }
    std::printf("%.2f\n", nanoseconds);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace peer
