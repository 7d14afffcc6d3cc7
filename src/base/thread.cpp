#include "base/thread.h"

#include <utility>

namespace stretto {

Thread::Thread(std::function<void()> body) {
  if (ThreadControl::active()) [[unlikely]] {
    participant_ = ThreadControl::enlist();
    thread_ = std::thread([participant = participant_, body = std::move(body)]() mutable {
      ThreadControl::enter(std::move(participant));
      body();
    });
    ThreadControl::step();
  } else {
    thread_ = std::thread(std::move(body));
  }
}

void Thread::join() {
  if (participant_ != nullptr && ThreadControl::active()) [[unlikely]]
    ThreadControl::await_end(*participant_);
  thread_.join();
}

std::int64_t nanoseconds_now() {
  if (ThreadControl::active()) [[unlikely]]
    return ThreadControl::now();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void sleep_for(std::chrono::nanoseconds time) {
  if (ThreadControl::active()) [[unlikely]] {
    ThreadControl::sleep(time.count());
  } else {
    std::this_thread::sleep_for(time);
  }
}

}  // namespace stretto
