#include "backends/cuda/fault_slots.h"

#include <utility>

#include "kernels/cuda/check.h"

namespace stretto {
namespace {

constexpr int batch = 64;

}  // namespace

std::exception_ptr FaultSlot::failure() const { return reported->position == 0 ? nullptr : make_failure(*reported); }

FaultSlot& FaultSlots::take(MakeFailure make_failure) {
  if (unused_.empty()) {
    void* memory = nullptr;
    check_cuda(cudaHostAlloc(&memory, batch * sizeof(DeviceFault), cudaHostAllocPortable), "cudaHostAlloc");
    for (int i = 0; i < batch; ++i) {
      unused_.push_back(&slots_.emplace_back(FaultSlot{static_cast<DeviceFault*>(memory) + i, {}}));
    }
  }
  FaultSlot& slot = *unused_.back();
  unused_.pop_back();
  *slot.reported = {};
  slot.make_failure = std::move(make_failure);
  return slot;
}

}  // namespace stretto
