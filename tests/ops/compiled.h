#pragma once

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <stretto/tensor/compile.h>

#include "tensor/testing.h"

namespace stretto {

/// Whether compiled functions are recorded at all in this process, and whether they replay.
inline bool records() { return !serial_engine() && environment().replay && !environment().check_access; }
inline bool replays() { return records() && !environment().check_replay; }

inline std::vector<float> values(const Tensor& tensor) { return tensor.to_vector<float>(); }

/// What a function did so far, in a process in which functions are replayed.
template <typename Compiled>
void expect_counts(const Compiled& compiled, std::uint64_t recordings, std::uint64_t replayed) {
  const CompileStatistics counts = compiled.statistics();
  EXPECT_EQ(counts.reason, "");
  EXPECT_EQ(counts.recordings, records() ? recordings : 0);
  EXPECT_EQ(counts.replays, replays() ? replayed : 0);
}

}  // namespace stretto
