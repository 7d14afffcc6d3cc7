#include "engine/read_hold.h"

#include "engine/recorder.h"
#include "engine/repeats.h"

namespace stretto {

ReadHold::ReadHold(Scheduler& scheduler, Buffer& buffer, const Box* box, const char* name, CallSite site)
    : scheduler_(scheduler) {
  if (Repeats* const repeats = scheduler.repeats()) repeats->interrupt();
  Task& task = *scheduler.thread().take_task(scheduler.recording());
  task.invoke = nullptr;  // a slot keeps what its last task ran
  Recorder recorder(scheduler, task);
  {
    const SpinLockGuard lock(scheduler.recording());
    recorder.begin({.name = name, .site = site, .device = buffer.device()}, Task::Kind::wait);
    // Counted again when it ends: until then nobody is to wait for it who waits for all.
    scheduler.count().withdraw(task.epoch());
    recorder.access({&buffer, box, AccessMode::read});
    task_ = scheduler.slab().reference(task);
    recorder.finish_held();
  }
  recorder.carry_out_joins();
}

bool ReadHold::forgotten() const {
  return scheduler_.slab().at(task_.slot).successors.load(std::memory_order_acquire) == closed_list;
}

ReadHold::~ReadHold() {
  Task& task = scheduler_.slab().at(task_.slot);
  {
    const SpinLockGuard lock(scheduler_.recording());
    if (forgotten()) return;
    const int epoch = scheduler_.count().epoch();
    scheduler_.count().submit(epoch);
    task.flags = epoch == 1 ? Task::odd_epoch : 0;
  }
  ThreadControl::step();
  if (arrive(task)) scheduler_.carry_out(task);
}

}  // namespace stretto
