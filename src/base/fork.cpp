#include "base/fork.h"

#include <pthread.h>

#include <mutex>
#include <vector>

#include "base/thread_control.h"

namespace stretto {
namespace {

// Not a Mutex: those who register are constructed in statics of functions. Were the turn to go on from in there under a
// deterministic schedule, another thread that needs the same static would wait where the schedule does not see it.
constinit std::mutex registering;
std::vector<ForkLock>& held() {
  static auto& locks = *new std::vector<ForkLock>;
  return locks;
}

using Before = void (*)();
using After = void (*)(bool in_child);
constinit Before call_before = nullptr;
constinit After call_after = nullptr;

void lock_all() {
  if (call_before != nullptr) call_before();
  registering.lock();
  for (const ForkLock& one : held()) one.take(one.lock);
}
void unlock_all(bool in_child) {
  if (in_child) ThreadControl::reset_after_fork();
  for (const ForkLock& one : held()) one.leave(one.lock);
  registering.unlock();
  if (call_after != nullptr) call_after(in_child);
}

void register_once() {
  static const int registered = pthread_atfork(lock_all, [] { unlock_all(false); }, [] { unlock_all(true); });
  static_cast<void>(registered);
}

}  // namespace

void set_fork_handlers(void (*before)(), void (*after)(bool in_child)) {
  call_before = before;
  call_after = after;
  register_once();
}

void hold_across_fork(const ForkLock& lock) {
  register_once();
  const std::lock_guard guard(registering);
  held().push_back(lock);
}

}  // namespace stretto
