#include "engine/segment_preparer.h"

#include <new>
#include <utility>

#include <stretto/base/error.h>

namespace stretto {
namespace {

void make_ready(RecordedSegment& recorded) {
  recorded.problem = recorded.work->prepare();
  recorded.state.store(recorded.problem.empty() ? RecordedSegment::State::ready : RecordedSegment::State::refused,
                       std::memory_order_release);
}

}  // namespace

void SegmentPreparer::prepare(std::shared_ptr<RecordedSegment> recorded) {
  if (!thread_.joinable()) {
    try {
      thread_ = Thread([this] { run(); });
    } catch (const Error&) {
      make_ready(*recorded);
      return;
    }
  }
  const MutexLock lock(mutex_);
  waiting_.push_back(std::move(recorded));
  changed_.notify_one();
}

void SegmentPreparer::run() {
  while (true) {
    std::shared_ptr<RecordedSegment> next;
    {
      MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_) changed_.wait(lock);
      if (stopping_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    make_ready(*next);
  }
}

void SegmentPreparer::stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  thread_ = Thread();
  std::deque<std::shared_ptr<RecordedSegment>> left;
  const MutexLock lock(mutex_);
  left.swap(waiting_);
  stopping_ = false;
}

void SegmentPreparer::reset_after_fork() {
  new (&mutex_) Mutex;
  new (&changed_) ConditionVariable;
  new (&waiting_) std::deque<std::shared_ptr<RecordedSegment>>;
  new (&thread_) Thread;
}

}  // namespace stretto
