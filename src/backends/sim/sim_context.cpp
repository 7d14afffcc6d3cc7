#include "backends/sim/sim_context.h"

#include <stretto/base/error.h>

#include <algorithm>

namespace stretto {
namespace {

/// A copy engine works through a copy in pieces of this size: what is at its end is read late.
constexpr std::size_t piece_bytes = std::size_t{4} << 20;

}  // namespace

SimContext::SimContext(SimMachine& machine, SimDevice& device, LaneRole role, std::optional<std::uint64_t> delay_seed)
    : SimKernelContext(this),
      machine_(machine),
      device_(device),
      role_(role),
      staging_(device.model().dry, device.model().staging_threads, delay_seed) {}

void SimContext::begin(SimTime moment, bool late) {
  moment_ = began_ = moment;
  late_ = late;
  kernels_ = counted_ = SimTime{0};
  started_ = sim_now();
}

SimTime SimContext::end() {
  const SimTime on_host = sim_now() - started_ - counted_;
  SimTime end = moment_;
  if (kernels_ > SimTime{0}) {
    end = device_.occupy(moment_, kernels_);
    began_ = std::max(began_, end - kernels_);
  }
  return device_.model().dry ? end : std::max(end, moment_ + on_host);
}

bool SimContext::begin(const KernelCost& cost, std::span<const std::byte* const> arrays) {
  // Copies tell of themselves.
  if (role_ != LaneRole::compute) return true;
  for (const std::byte* address : arrays)
    if (!device_.memory().contains(address))
      throw DeviceError("a kernel on " + device_.name() + " was given memory that is not the device's own");
  const SimTime time = device_.model().kernel_time(cost);
  if (late_ && time > SimTime{0}) {
    const SimTime started = sim_now();
    moment_ = device_.occupy(moment_, time);
    sim_sleep_until(moment_);
    counted_ += sim_now() - started;
  } else {
    kernels_ += time;
  }
  return !device_.model().dry;
}

void SimContext::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  const SimTime started = sim_now();
  moment_ = copy_from(moment_, to, from, bytes);
  counted_ += sim_now() - started;
}

SimTime SimContext::copy_from(SimTime moment, std::byte* to, const std::byte* from, std::size_t bytes) {
  const SimModel& model = device_.model();
  const SimDevice* const source = machine_.device_of(from);
  const SimDevice* const target = machine_.device_of(to);
  if (source != &device_ && target != &device_)
    throw DeviceError("a copy on " + device_.name() + " was given memory of which none is the device's own");
  if (source != nullptr && target != nullptr) {
    if (source == target || (source->has_peer_access() && target->has_peer_access()))
      return copy_directly(moment, to, from, bytes, model.peer);
    return staging_.out(to, from, bytes, moment, model.to_host, {.rate = target->model().from_host, .on_device = true});
  }
  if (target == nullptr) {
    if (machine_.page_locks.contains(to, bytes)) return copy_directly(moment, to, from, bytes, model.to_host);
    return staging_.out(to, from, bytes, moment, model.to_host, {.rate = model.staging});
  }
  if (machine_.page_locks.contains(from, bytes)) return copy_directly(moment, to, from, bytes, model.from_host);
  return staging_.in(to, from, bytes, moment, model.from_host, {.rate = model.staging});
}

SimTime SimContext::copy_directly(SimTime moment, std::byte* to, const std::byte* from, std::size_t bytes,
                                  double rate) const {
  for (std::size_t offset = 0; offset < bytes; offset += piece_bytes)
    moment =
        sim_move(to + offset, from + offset, std::min(piece_bytes, bytes - offset), moment, rate, device_.model().dry);
  return moment;
}

}  // namespace stretto
