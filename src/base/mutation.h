#pragma once

#include <cstdint>
#include <string_view>

namespace stretto {

/// One thing of the engine that a test breaks on purpose, to see that the checker notices: `STRETTO_MUTATION=NAME`.
enum class Mutation : std::uint8_t {
  none,
  read_after_write,   ///< A reader does not come after the last writer.
  write_after_read,   ///< A writer does not come after the readers since the last write.
  write_after_write,  ///< A pure write does not come after the last writer.
  box_intersection,   ///< Boxes that are not the same count as disjoint.
  block_reuse,        ///< The next owner of a block does not wait for what its last owner left pending.
  event_wait,         ///< A stream does not wait for another's event.
  host_read_wait,     ///< A host read does not wait for the value.
  host_buffer_reuse,  ///< Memory goes back to its pool while tasks still use it.
  poison,             ///< A failure is not passed on to those who read the value.
  issue_order,        ///< A task is issued before its predecessors are.
  newest_reader,      ///< Of the readers of a region only the newest is kept.
  clock_entry,        ///< A wait for an event counts as one for its lane's newest work, too.
  template_edge,      ///< One of the edges inside a replay is missing.
  template_port,      ///< What a replay does with one of its tensors does not wait for who used that before.
  template_argument,  ///< A replay's first argument is that of an earlier replay.
  template_place,     ///< Temporaries of a replay have the same memory, whether or not both are needed.
  pass_output,        ///< What a pass changes on the way to its last output is not written, though it is needed.
  segment_wait,       ///< On in-order lanes, no node of a replay waits for one on another stream.
  segment_address,    ///< What was recorded of a replay is launched for other addresses of its first buffer, too.
  repeat_body,        ///< Two tasks of one name in a section that was found to repeat run each other's bodies.
  repeat_number,  ///< Operators of a section that was found to repeat count as those recorded, whatever they are given.
  repeat_kept,    ///< What is kept of a section that was found to repeat is taken for a temporary.
  late_event,     ///< Slow: a lane waits for all that was issued before it, not for the task that it needs.
  one_lane,       ///< Slow: what is issued waits for all that was issued before it, on whatever lane.
};

namespace mutation {

/// Written once, when the environment is read; before the engine is made.
extern Mutation active;

}  // namespace mutation

inline bool is_broken(Mutation mutation) { return mutation::active == mutation; }

/// By its name, with `-` or `_` between words; none where there is no such thing.
Mutation mutation_named(std::string_view name);
/// All names, with commas between them.
std::string_view mutation_names();

}  // namespace stretto
