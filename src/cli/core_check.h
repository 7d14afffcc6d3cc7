#pragma once

#include <cstdint>

namespace stretto::cli {

/// Tells how much of the machine this process really gets: the speed-up of a spinning loop on all cores over the same
/// loop on one. Close to the number of cores on a machine that nobody else uses.
class CoreCheck {
 public:
  /// Learns how many cores this process may use, which starts the runtime, and how fast one is: some 30 ms.
  CoreCheck();

  int cores() const { return cores_; }
  /// Blocks for some 15 ms, in which nothing else of this process should run.
  double measure();
  /// Whether a measurement is good enough for a figure: at least 95 % of the cores.
  bool good(double measured) const { return measured >= 0.95 * cores_; }

 private:
  double seconds_on_one();

  int cores_;
  std::int64_t spins_;
  double best_on_one_;
};

}  // namespace stretto::cli
