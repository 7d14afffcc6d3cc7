#pragma once

#include <string>
#include <vector>

namespace stretto {

/// The part of the machine that one CPU device computes on.
struct CoreSet {
  std::vector<int>
      processors;      ///< Numbers of the hardware threads it may run on, as the system counts them, ascending.
  int core_count = 1;  ///< Threads that it can keep busy: cores, or fewer where processor time is limited.
};

/// The cores that this process may use: for each NUMA node, for each of its cores, the hardware threads.
struct CoreMap {
  using Core = std::vector<int>;
  std::vector<std::vector<Core>> nodes;  ///< No node without cores, no core without hardware threads.
  double processor_time = 0;             ///< What the control group allows, in processors; 0 is no limit.
};

/// Reads the machine, the affinity of the process (that of its main thread) and its control group. At least one core.
CoreMap usable_cores();

/// Shares the cores out to `devices` devices (at least 1), as evenly as can be without a device on two NUMA nodes; only
/// where there are fewer devices than nodes does one get several. With more devices than cores, devices take turns
/// sharing one.
std::vector<CoreSet> split_cores(int devices, const CoreMap& map);
/// The same for `usable_cores()`.
std::vector<CoreSet> split_cores(int devices);

/// Lets the calling thread run on the set's processors only. False when the system refuses: the thread runs where it
/// ran.
bool bind_current_thread(const CoreSet& cores);

/// The processor's model as its vendor writes it; "unknown processor" when the system does not say.
std::string cpu_model_name();

}  // namespace stretto
