#pragma once

#include <nvtx3/nvToolsExt.h>

namespace stretto {

/// A range on the calling thread, while it lives, that Nsight Systems shows. Costs next to nothing where no profiler is
/// attached.
class ProfilerRange {
 public:
  explicit ProfilerRange(const char* name) { push(name); }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
  ~ProfilerRange() { pop(); }

  /// `name` is copied.
  static void push(const char* name) { nvtxRangePushA(name); }
  static void pop() { nvtxRangePop(); }
};

}  // namespace stretto
