#pragma once

#include <optional>
#include <string>

#include <stretto/report/run.h>

namespace stretto::report {

struct GraphOptions {
  /// So many levels of sections are drawn as boxes around their tasks; a section further in is one node, which stands
  /// for all its tasks. All levels where it is missing.
  std::optional<int> depth;
};

/// The dependency graph of a run, in Graphviz's language DOT. A task is a node in the colour of its device; a copy has
/// another shape; the longest chain of dependencies is bold. What a task reads is a full line; what it overwrites is a
/// dashed one, left out where other lines say the same; memory used again is a dotted one.
STRETTO_API std::string to_dot(const Run& run, const GraphOptions& options = {});

/// Writes the graph to a file whose name ends in .svg, drawn by the program `dot`, or in .dot or .gv. Blocks until it
/// is written. Throws UsageError for another ending; FileError for a file that cannot be written, where there is no
/// `dot`, and for an SVG of more nodes than dot can draw in reasonable time.
STRETTO_API void write_graph(const Run& run, const std::string& path, const GraphOptions& options = {});

}  // namespace stretto::report
