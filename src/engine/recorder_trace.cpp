// What the recorder tells of a task while a timeline is recorded.

#include <array>

#include "engine/recorder.h"
#include "engine/trace_source.h"

namespace stretto {
namespace {

constexpr std::array<const char*, lane_role_count> role_names{"compute", "to host", "from host", "to peer"};

/// Of a task that is no operator: whole buffers, or the boxes of those that it uses in part.
std::uint64_t accessed_bytes(const Submission& submission) {
  std::uint64_t bytes = 0;
  for (const Access& access : submission.accesses) {
    std::uint64_t one = access.buffer->bytes();
    if (access.box != nullptr) {
      one = static_cast<std::uint64_t>(access.box->run());
      for (const std::int64_t extent : access.box->extents()) one *= static_cast<std::uint64_t>(extent);
    }
    bytes += one * (access.mode == AccessMode::read_write ? 2 : 1);
  }
  return bytes;
}

}  // namespace

void Recorder::begin_tracing() {
  if (task_.kind == Task::Kind::release) return;
  traced_ = &scheduler_.thread().traced_edges;
  traced_from_ = traced_->size();
  key_ = trace_key(scheduler_.slab().reference(task_));
  id_ = task_.sequence;
  submitted_ = trace::ticks();
}

void Recorder::trace_edge(TaskReference before, Hazard hazard) {
  const trace::TaskKey key = trace_key(before);
  if (key != key_) traced_->push_back(trace::edge_to(key, trace::hazards_of(hazard)));
}

void Recorder::tell(const Submission& submission) {
  trace::record_submission({.key = key_,
                            .id = id_,
                            .submitted = submitted_,
                            .name = submission.name,
                            .site = submission.site,
                            .device = submission.device,
                            .role = role_names[static_cast<std::size_t>(submission.role)],
                            .bytes = submission.operands.empty() ? accessed_bytes(submission) : 0},
                           std::span(*traced_).subspan(traced_from_), submission.operands);
}

Recorder::Awaited Recorder::awaited() {
  const Task& first = *candidate(0).task;
  if (count_ > 1 || first.kind != Task::Kind::normal) return {"wait for several tasks", 0};
  return {first.name, first.sequence};
}

void Recorder::tell_join() { trace::record_join(key_, id_, std::span(*traced_).subspan(traced_from_)); }

}  // namespace stretto
