#pragma once

#include <cstdint>

#include <stretto/base/export.h>

namespace stretto {

/// What one random operator draws from: element i of its result depends on (key, number, i) alone, on every device.
struct RandomDraw {
  std::uint64_t key;
  std::uint64_t number;
};

/// A counter-based source of random numbers (Philox 4x32-10): its seed gives the key, and each operator that draws from
/// it takes the next number. Equal seeds and equal sequences of draws give equal values. Not for several threads at
/// once.
class STRETTO_API Generator {
 public:
  explicit constexpr Generator(std::uint64_t seed) : key_(seed) {}

  /// Starts again with this seed.
  void manual_seed(std::uint64_t seed) {
    key_ = seed;
    number_ = 0;
  }
  RandomDraw next() { return {key_, number_++}; }

 private:
  std::uint64_t key_;
  std::uint64_t number_ = 0;
};

/// The generator of operators that are not given one. Each thread has its own, keyed by the seed of the process and by
/// the order in which threads first use theirs. Inside a task it is the task's own, keyed by its submitter's generator
/// and how many tasks that submitted before: values do not depend on which worker runs the task, or when.
STRETTO_API Generator& default_generator();

/// Sets the seed of the process: every default generator starts again with it, this thread's at once and others at
/// their next use. Tasks that were submitted before keep what they would have drawn. A process that sets none has a
/// fixed one.
STRETTO_API void manual_seed(std::uint64_t seed);

}  // namespace stretto
