#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// A task of a graph, or a section that stands for its tasks.
struct GraphNode {
  std::vector<std::size_t> tasks;   ///< Indices into the run's tasks.
  std::vector<std::string> around;  ///< The sections around it, outermost first.
  std::string folded;               ///< The name of the section, where the node stands for one.
  bool is_critical = false;         ///< On the longest chain of dependencies.
};

struct GraphLine {
  Hazard hazard;
  bool is_critical = false;
};

/// What is drawn of a run: its sections folded, lines between the same nodes drawn once.
struct GraphNodes {
  std::vector<GraphNode> nodes;
  /// From one node to another, by their indices. The strongest hazard counts: raw, then war, waw, reuse.
  std::map<std::pair<std::size_t, std::size_t>, GraphLine> lines;
};

/// Folds sections deeper than `depth`, and leaves out lines other than raw that longer ways say already, in graphs of
/// some thousand tasks.
GraphNodes graph_nodes(const Run& run, std::optional<int> depth);

}  // namespace stretto::report
