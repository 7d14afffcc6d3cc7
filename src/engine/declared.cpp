#include "engine/declared.h"

#include <string>

#include <stretto/base/error.h>

namespace stretto {

Declared find_declared(const ThreadState::Frame& inside, const Buffer& buffer, const Box* box) {
  const Task& task = *inside.task;
  const Box all = Box::whole(static_cast<std::int64_t>(buffer.bytes()));
  const Box& asked = box == nullptr ? all : *box;
  bool some = false;
  bool contained = false;
  for (std::size_t i = 0; i < task.access_count; ++i) {
    if (&task.buffer(i) != &buffer) continue;
    const Box part = inside.body->parts == nullptr ? all : inside.body->parts->part(i, buffer.bytes());
    // No bytes at all order like all of them.
    if (!asked.empty() && !overlaps(part, asked)) continue;
    if (writes(task.mode(i))) return Declared::written;
    some = true;
    contained |= contains(part, asked);
  }
  if (!some) return Declared::nothing;
  return contained ? Declared::read : Declared::in_part;
}

std::string describe(const Task& task) {
  return std::string("the task ") + task.name + " (" + to_string(task.site()) + ")";
}

bool leave_out_declared(const ThreadState::Frame& inside, const Submission& submission, std::vector<Access>& recorded) {
  const Task& task = *inside.task;
  recorded.reserve(submission.accesses.size());
  for (const Access& access : submission.accesses) {
    const Declared declared = find_declared(inside, *access.buffer, access.box);
    if (declared == Declared::nothing) {
      recorded.push_back(access);
      continue;
    }
    std::string fault;
    if (declared == Declared::written) {
      fault = "uses inside " + describe(task) + " a tensor that this task writes: there the context alone reaches it";
    } else if (task.is_in_order()) {
      fault = "uses inside " + describe(task) + " a tensor that this task declared: on " +
              to_string(Device(task.device_kind, task.device_index)) + " the context alone reaches it";
    } else if (writes(access.mode)) {
      fault = "writes inside " + describe(task) + " a tensor that this task declared to read";
    } else if (declared == Declared::in_part) {
      fault = "uses inside " + describe(task) + " a tensor of which this task declared a part alone";
    }
    if (!fault.empty()) throw UsageError(submission.name, fault, submission.site);
  }
  return recorded.size() < submission.accesses.size();
}

}  // namespace stretto
