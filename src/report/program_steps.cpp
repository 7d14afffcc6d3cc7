#include "report/program_steps.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <stretto/report/cause.h>

namespace stretto::report {

ProgramSteps::ProgramSteps(const Run& run, const std::vector<std::optional<std::size_t>>& outer)
    : clock_(run.begin()), ends_(run.tasks.size()), is_submitted_(run.tasks.size()) {
  std::vector<std::pair<Nanoseconds, std::size_t>> by_end;
  // At one time a submission comes before a wait.
  std::vector<std::tuple<Nanoseconds, bool, std::size_t>> order;
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    by_end.emplace_back(run.tasks[task].end, task);
    if (!outer[task]) order.emplace_back(run.tasks[task].submitted, false, task);
  }
  for (std::size_t wait = 0; wait < run.waits.size(); ++wait) order.emplace_back(run.waits[wait].start, true, wait);
  std::ranges::sort(by_end);
  std::ranges::sort(order);
  Nanoseconds before = run.begin();
  for (const auto& [time, is_wait, index] : order) {
    ProgramStep step{is_wait ? Kind::pause : Kind::submission, index, std::max<Nanoseconds>(0, time - before)};
    before = std::max(before, time);
    if (is_wait) {
      const Wait& wait = run.waits[index];
      const auto later = std::ranges::upper_bound(by_end, wait.end, {}, &std::pair<Nanoseconds, std::size_t>::first);
      Nanoseconds end = 0;
      if (wait.task) {
        step.kind = Kind::wait_for_task;
        step.task = *wait.task;
        end = run.tasks[step.task].end;
      } else if (later != by_end.begin()) {
        // Held back: what ended last before it went on had made room.
        step.kind = cause_named(wait.cause) == Cause::wait_all ? Kind::wait_for_all : Kind::wait_for_task;
        std::tie(end, step.task) = *std::prev(later);
      }
      step.wake = std::clamp<Nanoseconds>(wait.end - end, 0, wait.duration());
      before = std::max(before, wait.end);
    }
    steps_.push_back(step);
  }
}

void ProgramSteps::note_end(std::size_t task, Nanoseconds time) {
  ends_[task] = time;
  last_end_ = std::max(last_end_, time);
  if (is_submitted_[task]) --pending_;
}

std::optional<Nanoseconds> ProgramSteps::end_of_wait(const ProgramStep& step) const {
  if (step.kind == Kind::pause) return 0;
  if (step.kind == Kind::wait_for_task) return ends_[step.task];
  return pending_ == 0 ? std::optional(last_end_) : std::nullopt;
}

void ProgramSteps::go_on(const Submit& submit, const Waited& waited) {
  for (; next_ < steps_.size(); ++next_) {
    const ProgramStep& step = steps_[next_];
    if (step.kind == Kind::submission) {
      clock_ += step.own;
      is_submitted_[step.index] = true;
      ++pending_;
      submit(step.index, clock_);
      continue;
    }
    const std::optional<Nanoseconds> end = end_of_wait(step);
    if (!end) return;
    const Nanoseconds start = clock_ + step.own;
    clock_ = std::max(start, *end) + step.wake;
    waited(step.index, start, clock_);
  }
}

}  // namespace stretto::report
