#include "engine/trace_source.h"

#include <exception>

#include "engine/launcher.h"
#include "engine/scheduler.h"
#include "trace/writer.h"

namespace stretto {
namespace {

class EngineSource final : public trace::Source {
 public:
  explicit EngineSource(Scheduler& scheduler) : scheduler_(scheduler), is_serial_(scheduler.serial()) {}

  const char* engine() const override { return is_serial_ ? "serial" : "parallel"; }

  std::vector<DeviceNote> devices() override {
    std::vector<DeviceNote> notes;
    scheduler_.devices().for_each([&](EngineDevice& device) {
      if (device.workers != nullptr) {
        notes.push_back({to_string(device.device), "workers", device.workers->worker_count()});
      } else {
        int streams = 0;
        for (const Lane* lane : device.backend->lanes(device.device.index()))
          streams += lane->role() == LaneRole::compute ? 1 : 0;
        notes.push_back({to_string(device.device), "streams", streams});
      }
    });
    return notes;
  }

  std::vector<Counter> counters() override {
    std::vector<Counter> values;
    scheduler_.devices().for_each([&](EngineDevice& device) {
      values.push_back({"memory " + to_string(device.device), "bytes", device.memory->statistics().live});
    });
    values.push_back({"pending tasks", "tasks", scheduler_.count().pending()});
    values.push_back({"bytes in flight", "bytes", scheduler_.awaiting_release().load(std::memory_order_relaxed)});
    return values;
  }

 private:
  Scheduler& scheduler_;
  const bool is_serial_;
};

std::string message_of(const Failure& failure) {
  try {
    failure.raise();
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

void tell_recordings_of(Scheduler& scheduler) { trace::set_source(*new EngineSource(scheduler)); }

void trace_failure(Scheduler& scheduler, const Task& task) {
  if (const FailureReference failure = scheduler.failure_of(task))
    trace::record_failure(task.sequence, message_of(*failure.get()));
}

void trace_reuse(const Task& task, const PointSet& points) {
  if (points.empty()) return;
  std::vector<std::uint64_t> numbers;
  for (const Point point : points) numbers.push_back(point.bits());
  trace::record_reuse(task.sequence, numbers);
}

void trace_body(Scheduler& scheduler, const Task& task, trace::Ticks started, bool ran) {
  if (task.is_in_order()) return;
  trace_failure(scheduler, task);
  trace::record_execution(task.sequence, started, ran ? trace::ticks() : started);
}

}  // namespace stretto
