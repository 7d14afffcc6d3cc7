#include "base/thread.h"

#include <system_error>
#include <utility>

#include <stretto/base/error.h>

namespace stretto {
namespace {

template <typename Body>
std::thread start(Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error& error) {
    throw Error("the system starts no more threads: " + error.code().message());
  }
}

}  // namespace

Thread::Thread(std::function<void()> body) {
  if (!ThreadControl::active()) [[likely]] {
    thread_ = start(std::move(body));
    return;
  }
  const auto participant = ThreadControl::enlist();
  try {
    thread_ = start([participant, body = std::move(body)]() mutable {
      ThreadControl::enter(std::move(participant));
      body();
    });
  } catch (...) {
    ThreadControl::withdraw(*participant);
    throw;
  }
  participant_ = participant;
  ThreadControl::step();
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
