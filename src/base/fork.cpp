#include "base/fork.h"

#include <pthread.h>

#include <vector>

namespace stretto {
namespace {

constinit Mutex registering;
std::vector<Mutex*>& held() {
  static auto& mutexes = *new std::vector<Mutex*>;
  return mutexes;
}

void lock_all() STRETTO_NO_THREAD_SAFETY_ANALYSIS {
  registering.lock();
  for (Mutex* mutex : held()) mutex->lock();
}
void unlock_all() STRETTO_NO_THREAD_SAFETY_ANALYSIS {
  for (Mutex* mutex : held()) mutex->unlock();
  registering.unlock();
}

}  // namespace

void hold_across_fork(Mutex& mutex) {
  static const int registered = pthread_atfork(lock_all, unlock_all, unlock_all);
  static_cast<void>(registered);
  const MutexLock lock(registering);
  held().push_back(&mutex);
}

}  // namespace stretto
