#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/template.h"
#include "ordering/access_log.h"

namespace stretto {

/// Makes a template of what was captured.
class TemplateBuilder final : private AccessSink {
 public:
  TemplateBuilder(Captured captured, std::span<const std::uint32_t> results);
  std::shared_ptr<const Template> build();

 private:
  /// One access of one node, as its log has it.
  struct Use {
    std::uint32_t node;
    AccessMode mode;
    std::int32_t box;              ///< The number of the first that is the same; -1 for all.
    bool reads_outside = false;    ///< It reads what was there before the first node.
    bool follows_outside = false;  ///< Whoever used the buffer before must be done.
    bool is_first = true;          ///< Nothing inside that uses the buffer comes before it.
  };
  using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

  // AccessSink.
  void after(TaskReference task, Hazard hazard) override;
  void reads_failed(const FailureReference&) override {}
  bool finished(TaskReference) const override { return false; }
  TaskReference join(std::span<const TaskReference> tasks) override;

  void sort_slots(std::span<const std::uint32_t> results);
  bool is_outside(std::uint32_t slot) const;
  const Box* box(std::int32_t number) const { return number < 0 ? nullptr : &captured_.boxes[number]; }

  // Edges.
  void record_accesses();
  void record_node(std::uint32_t node);
  void record(std::uint32_t slot, Use use);
  void keep_predecessors();
  bool precedes(std::uint32_t earlier, std::uint32_t node);
  std::span<const std::uint32_t> predecessors(std::uint32_t node) const;
  void drop_an_edge();
  void make_nodes();

  // Ports.
  std::vector<std::int32_t> overwritten(std::int32_t part, std::span<const std::int32_t> written) const;
  static bool is_changed_in_turn(const std::vector<Use>& uses);
  void make_ports(std::uint32_t slot);
  void make_outgoing_ports(std::uint32_t slot, std::int64_t start);
  std::vector<const Use*> last_writes(std::uint32_t slot) const;
  bool covers(std::int32_t one, std::int32_t other) const;
  std::vector<std::uint32_t> last_readers(std::uint32_t slot);
  std::uint32_t add_port(std::uint32_t slot, AccessMode mode);
  void add_closer(std::uint32_t port, std::uint32_t node);
  void finish_ports();

  // Places.
  void choose_places();
  bool is_free_for(const std::vector<Use>& uses, const std::vector<Use>& before);

  Captured captured_;
  std::shared_ptr<Template> made_;
  std::vector<std::vector<Use>> uses_;     ///< Of each slot.
  std::vector<AccessLog> logs_;            ///< Of each slot.
  std::vector<std::int32_t> part_of_box_;  ///< The number of the first box that is the same.
  std::vector<std::vector<TaskReference>> joins_;

  // Of the access that is being recorded, and of its node.
  std::uint32_t node_ = 0;
  Use* use_ = nullptr;
  std::vector<std::uint32_t> before_;

  Pairs value_edges_;  ///< From, to.
  // Predecessors of each node, as few as could be found.
  std::vector<std::uint32_t> predecessors_;
  std::vector<std::size_t> first_predecessor_{0};
  std::vector<std::uint32_t> seen_;  ///< For each node: the last search that met it.
  std::uint32_t search_ = 0;
  std::vector<std::uint32_t> open_;
  Pairs closers_;  ///< Node, port.
};

}  // namespace stretto
