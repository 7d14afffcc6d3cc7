#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <stretto/core/box.h>

#include "engine/capture.h"

namespace stretto {

/// What was captured, in the form in which it is replayed: tasks as *nodes* with their edges, and what ties them to the
/// program around them. Never changes once made; any number of replays share it.
///
/// Edges come from the engine's own access logs, with node numbers in place of tasks, so that boxes and overlaps order
/// here as they do there.
class Template {
 public:
  /// A node that runs: one cache line.
  struct alignas(64) Node {
    const RepeatableBody* body;
    const char* name;
    const char* file;
    std::uint32_t line;
    std::uint32_t first_access;
    std::uint32_t access_count;
    std::uint32_t first_successor;
    std::uint32_t successor_count;
    /// How often somebody arrives at it before it is ready: predecessors, ports, and the beginning.
    std::uint32_t arrivals;
    Priority priority;  ///< Its own, or of those that wait for it the highest.
    bool closes_ports;
    CallSite site() const { return {file, "", line}; }
  };

  enum class SlotKind : std::uint8_t {
    argument,
    captured,
    result,
    temporary,
  };
  /// A buffer that nodes use.
  struct Slot {
    SlotKind kind;
    bool used = false;  ///< By some node. Else no port keeps its buffer.
    bool written = false;
    /// Of an argument: the only buffer that it can be; else null. Of a captured one: that.
    BufferReference buffer;
    /// Of results and temporaries.
    std::size_t bytes = 0;
    std::uint32_t number = 0;  ///< Of results among results; of temporaries the place that they have.
  };

  /// Ties some of the accesses to one buffer from outside to the program: a task of the engine in its access log. It
  /// *opens* when what it comes after is done, and *closes* when, besides, its closers have run.
  struct Port {
    std::uint32_t slot;
    AccessMode mode;
    std::vector<std::int32_t> boxes;  ///< Numbers; -1 for all.
    /// Nodes that wait until it is open.
    std::vector<std::uint32_t> targets;
    /// Whether the targets read what comes in: a failure is theirs, too.
    bool carries_value = false;
    /// What other nodes write before the targets read: it is not what they read, and a failure there not theirs.
    std::vector<Box> overwritten;
    /// How many nodes it waits for before it closes.
    std::uint32_t closers = 0;
    /// The node whose value goes out: its failure is the port's. -1 for none.
    std::int64_t writer = -1;
  };

  /// A list of numbers for each of some nodes, found by looking for the node.
  struct Lists {
    std::vector<std::uint32_t> nodes;  ///< In order.
    std::vector<std::uint32_t> first;  ///< One more than there are nodes.
    std::vector<std::uint32_t> numbers;
    std::span<const std::uint32_t> of(std::uint32_t node) const;
    /// Of pairs of a node and a number, which are sorted; those that come twice are left out there, too.
    static Lists make(std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs);
  };

  /// `results`: slots of what was captured whose values are wanted. Null where it takes more than a replay can have.
  static std::shared_ptr<const Template> make(Captured captured, std::span<const std::uint32_t> results);

  Device device() const { return device_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::span<const std::uint32_t> successors(const Node& node) const {
    return {successors_.data() + node.first_successor, node.successor_count};
  }
  /// Slot and mode of each of a node's accesses.
  std::span<const std::uint32_t> accesses(const Node& node) const {
    return {accesses_.data() + node.first_access, node.access_count};
  }
  static std::uint32_t pack_access(std::uint32_t slot, AccessMode mode) {
    return slot << 2 | static_cast<std::uint32_t>(mode);
  }
  static std::uint32_t slot_of_access(std::uint32_t access) { return access >> 2; }

  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<Port>& ports() const { return ports_; }
  /// Nodes that nothing inside comes before.
  const std::vector<std::uint32_t>& roots() const { return roots_; }
  /// Of a node: those that read what it writes. Failures go along these.
  std::span<const std::uint32_t> readers(std::uint32_t node) const { return readers_.of(node); }
  /// Of a node: the ports that it closes.
  std::span<const std::uint32_t> ports_closed_by(std::uint32_t node) const { return closed_ports_.of(node); }
  /// The slot of the argument with this number; several arguments may be one buffer.
  std::uint32_t argument_slot(std::size_t argument) const { return argument_slots_[argument]; }
  std::size_t argument_count() const { return argument_slots_.size(); }
  std::uint32_t result_slot(std::size_t result) const { return result_slots_[result]; }
  /// Buffers to be made for each replay.
  std::uint32_t made_results() const { return made_results_; }
  std::size_t result_count() const { return result_slots_.size(); }
  /// Bytes of what temporaries are kept in: two that are never there at the same time may have one place.
  const std::vector<std::size_t>& places() const { return places_; }
  std::size_t place_bytes() const;
  std::uint64_t drawing_tasks() const { return drawing_tasks_; }

  /// How many nodes have this priority.
  std::uint32_t count(Priority priority) const { return priority_counts_[static_cast<std::size_t>(priority)]; }

  /// Which nodes must have run before the port closes.
  std::vector<bool> needed_by(std::uint32_t port) const;

 private:
  friend class TemplateBuilder;
  Template() = default;

  Device device_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> successors_;
  std::vector<std::uint32_t> accesses_;
  std::vector<Slot> slots_;
  std::vector<Box> boxes_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> roots_;
  Lists readers_;
  Lists closed_ports_;
  std::vector<std::uint32_t> argument_slots_;
  std::vector<std::uint32_t> result_slots_;
  std::uint32_t made_results_ = 0;
  std::vector<std::size_t> places_;
  std::uint64_t drawing_tasks_ = 0;
  std::array<std::uint32_t, 3> priority_counts_{};
  std::vector<std::shared_ptr<const RepeatableBody>> bodies_;
};

}  // namespace stretto
