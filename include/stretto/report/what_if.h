#pragma once

#include <optional>
#include <string>

#include <stretto/report/chain.h>
#include <stretto/report/run.h>

namespace stretto::report {

/// How another machine differs from the one that was recorded.
struct Machine {
  std::optional<int> devices = {};  ///< That compute, each like the recorded ones; as many as recorded where missing.
  std::optional<double> link = {};  ///< What each copy between memories runs at, in GB/s; as recorded where missing.
  double compute = 1;               ///< So many times as fast as recorded.
};

/// What a recorded run would have been.
struct Prediction {
  Run run;            ///< With the times, lanes and devices of the other machine.
  Nanoseconds total;  ///< What it takes.
  Bound bound;        ///< On the other machine.
  /// What decides how long it takes, most of its critical path: "the work of sim:0 stream 0".
  std::string bottleneck;
  double bottleneck_share;  ///< Of the critical path, from 0 to 1.
};

/// Puts the recorded tasks on the lanes of the other machine, each as soon as what it depends on has ended, its lane is
/// free and the program has submitted it. What the program did itself between submissions, and the time from ready to
/// started, are taken as recorded. With another number of devices, tasks that are connected by dependencies move
/// together, copies with those that they serve; the largest groups are placed first, each on the device with the least
/// work. Devices that compute are the GPUs where any computed, else the CPU's.
///
/// A task keeps its duration, though it may have shared memory or cores with others. Throws UsageError for a machine
/// without devices or with a link or a speed that is not positive.
STRETTO_API Prediction predict(const Run& run, const Machine& machine);

}  // namespace stretto::report
