#pragma once

#include <deque>
#include <memory>

#include "base/mutex.h"
#include "base/thread.h"
#include "engine/recorded_segments.h"

namespace stretto {

/// Makes ready what a launcher has recorded, on a thread of its own, which is started when there is something: it takes
/// long, and meanwhile the launcher goes on.
class SegmentPreparer {
 public:
  SegmentPreparer() = default;
  ~SegmentPreparer() { stop(); }
  SegmentPreparer(const SegmentPreparer&) = delete;
  SegmentPreparer& operator=(const SegmentPreparer&) = delete;

  /// Does not wait, unless the system has no thread for it: then it is done here.
  void prepare(std::shared_ptr<RecordedSegment> recorded);
  /// Ends the thread behind what it is at.
  void stop();
  /// In the child after a fork: what was waiting is left behind.
  void reset_after_fork() STRETTO_NO_THREAD_SAFETY_ANALYSIS;

 private:
  void run();

  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::shared_ptr<RecordedSegment>> waiting_ STRETTO_GUARDED_BY(mutex_);
  bool stopping_ STRETTO_GUARDED_BY(mutex_) = false;
  Thread thread_;
};

}  // namespace stretto
