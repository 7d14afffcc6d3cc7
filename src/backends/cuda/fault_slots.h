#pragma once

#include <deque>
#include <exception>
#include <vector>

#include "kernels/cuda/cuda_context.h"

namespace stretto {

/// One place where kernels report what is wrong, and how to say it.
struct FaultSlot {
  DeviceFault* reported;  ///< Page-locked.
  MakeFailure make_failure;

  /// The error, or null where nothing was reported. Once the work is done.
  std::exception_ptr failure() const;
};

/// The places of one lane. Used by one thread at a time.
class FaultSlots {
 public:
  /// A clear slot. Throws OutOfMemoryError where the host locks no more pages.
  FaultSlot& take(MakeFailure make_failure);
  void give_back(FaultSlot& slot) { unused_.push_back(&slot); }

 private:
  std::deque<FaultSlot> slots_;
  std::vector<FaultSlot*> unused_;
};

}  // namespace stretto
