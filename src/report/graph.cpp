#include <fmt/format.h>
#include <stretto/report/graph.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <stretto/base/error.h>
#include <stretto/base/temporary_file.h>

#include "report/graph_nodes.h"

namespace stretto::report {
namespace {

/// dot takes minutes beyond this.
constexpr std::size_t most_drawn = 3000;

struct Paint {
  const char* fill;
  const char* border;
};

constexpr std::array<Paint, 8> paints = {{{"#dbe5fb", "#3b62c4"},
                                          {"#fde9c4", "#b9770e"},
                                          {"#d3efe6", "#2a8a70"},
                                          {"#fbdcd6", "#c2452f"},
                                          {"#e9dcfa", "#7d44c4"},
                                          {"#d5efd3", "#2f7f2a"},
                                          {"#fadbe8", "#b93a78"},
                                          {"#e3e4e8", "#585c68"}}};
constexpr Paint several = {"#eeeeee", "#444444"};

/// As DOT takes it between quotes: what would end the text or command something is escaped, what cannot be drawn
/// becomes a question mark.
std::string as_dot(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += '?';
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// Between the tags of DOT's labels in HTML.
std::string tagged(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return result;
}

std::string milliseconds(Nanoseconds time) { return fmt::format("{:.3f} ms", static_cast<double>(time) / 1e6); }

/// A picture being written.
class Drawing {
 public:
  Drawing(const Run& run, const GraphNodes& graph) : run_(run), graph_(graph) {
    for (const RecordedDevice& device : run.devices) devices_.push_back(device.name);
    for (const Task& task : run.tasks) {
      if (std::ranges::find(devices_, task.device) == devices_.end()) devices_.push_back(task.device);
    }
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
      Section* section = &outermost_;
      for (const std::string& name : graph.nodes[node].around) {
        auto& inner = section->inner;
        auto known = std::ranges::find(inner, name, &Section::name);
        if (known == inner.end()) {
          inner.push_back({name, {}, {}});
          known = std::prev(inner.end());
        }
        section = &*known;
      }
      section->nodes.push_back(node);
    }
  }

  std::string text() {
    text_ =
        "digraph run {\n"
        "  graph [fontname=\"Helvetica\", fontsize=11, ranksep=0.35, nodesep=0.2, bgcolor=white, labelloc=b];\n"
        "  node [fontname=\"Helvetica\", fontsize=10, style=filled, shape=box, margin=\"0.10,0.05\", height=0.3];\n"
        "  edge [arrowsize=0.6, color=\"#444444\"];\n";
    text_ += fmt::format("  label={};\n", legend());
    add_section(outermost_, "  ");
    for (const auto& [ends, line] : graph_.lines) add_line(ends.first, ends.second, line);
    return text_ + "}\n";
  }

 private:
  struct Section {
    std::string name;
    std::vector<Section> inner;
    std::vector<std::size_t> nodes;
  };

  const Paint& paint_of(const std::string& device) const {
    const auto place = static_cast<std::size_t>(std::ranges::find(devices_, device) - devices_.begin());
    return paints[place % paints.size()];
  }

  std::string legend() const {
    if (run_.tasks.empty()) return "\"nothing ran\"";
    std::string cells;
    for (const std::string& device : devices_) {
      if (std::ranges::find(run_.tasks, device, &Task::device) == run_.tasks.end()) continue;
      cells += fmt::format("<td bgcolor=\"{}\">{}</td>", paint_of(device).fill, tagged(device));
    }
    const std::string what = run_.command.empty() ? std::string() : tagged(short_command(run_)) + ", ";
    return fmt::format(
        "<<table border=\"0\" cellborder=\"0\" cellspacing=\"4\" cellpadding=\"3\"><tr>{}<td>{}{} tasks, {}; bold: the "
        "longest chain</td></tr></table>>",
        cells, what, run_.tasks.size(), milliseconds(run_.end() - run_.begin()));
  }

  void add_section(const Section& section, const std::string& indent) {
    for (const std::size_t node : section.nodes) add_node(node, indent);
    for (const Section& inner : section.inner) {
      text_ += fmt::format(
          "{}subgraph cluster_{} {{\n{}  label={}; labelloc=t; style=\"rounded\"; color=\"#9aa0aa\"; "
          "fontcolor=\"#444444\";\n",
          indent, clusters_++, indent, as_dot(inner.name));
      add_section(inner, indent + "  ");
      text_ += indent + "}\n";
    }
  }

  void add_node(std::size_t index, const std::string& indent) {
    const GraphNode& node = graph_.nodes[index];
    const Task& first = run_.tasks[node.tasks.front()];
    const bool is_of_one_device =
        std::ranges::all_of(node.tasks, [&](std::size_t task) { return run_.tasks[task].device == first.device; });
    const Paint& paint = is_of_one_device ? paint_of(first.device) : several;
    const char* shape = !node.folded.empty() ? "box3d" : is_copy(first.role) ? "cds, height=0.45" : "box";
    text_ += fmt::format("{}t{} [label={}, tooltip={}, shape={}, fillcolor=\"{}\", color=\"{}\"{}];\n", indent, index,
                         as_dot(label(node)), as_dot(tooltip(node)), shape, paint.fill, paint.border,
                         node.is_critical ? ", penwidth=3" : "");
  }

  std::string label(const GraphNode& node) const {
    const Task& task = run_.tasks[node.tasks.front()];
    if (!node.folded.empty()) return fmt::format("{}\n{} tasks", node.folded, node.tasks.size());
    std::string text = task.name;
    if (task.role == Role::to_host) text += ", " + task.device + " → CPU";
    if (task.role == Role::from_host) text += ", CPU → " + task.device;
    if (task.role == Role::to_peer) text += ", " + task.device + " → peer";
    return task.line.empty() ? text : text + "\n" + task.line;
  }

  std::string tooltip(const GraphNode& node) const {
    Nanoseconds duration = 0;
    for (const std::size_t task : node.tasks) duration += run_.tasks[task].duration();
    if (!node.folded.empty()) return milliseconds(duration);
    const Task& task = run_.tasks[node.tasks.front()];
    return fmt::format("task {} on {}, {}{}{}", task.id, task.device, milliseconds(duration),
                       task.shapes.empty() ? "" : ": ", task.shapes);
  }

  void add_line(std::size_t from, std::size_t to, const GraphLine& line) {
    std::string style;
    if (line.hazard == Hazard::reuse) style = "style=dotted, color=\"#888888\"";
    if (line.hazard == Hazard::war || line.hazard == Hazard::waw) style = "style=dashed, color=\"#888888\"";
    if (line.is_critical) style += std::string(style.empty() ? "" : ", ") + "penwidth=3";
    text_ +=
        style.empty() ? fmt::format("  t{} -> t{};\n", from, to) : fmt::format("  t{} -> t{} [{}];\n", from, to, style);
  }

  const Run& run_;
  const GraphNodes& graph_;
  std::vector<std::string> devices_;
  Section outermost_;
  int clusters_ = 0;
  std::string text_;
};

FileError cannot_write(const std::string& path) {
  return FileError(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw cannot_write(path);
}

std::string for_shell(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// Has `dot` draw the text.
void draw(const std::string& path, const std::string& text) {
  if (std::system("command -v dot >/dev/null 2>&1") != 0) {
    throw FileError(fmt::format(
        "cannot draw {}: there is no program dot here (Debian's package graphviz has it); a name that ends in .dot "
        "gets the graph as text",
        path));
  }
  // Said here and by name: dot would say it in its own words. What is there stays until there is something better.
  if (!std::ofstream(path, std::ios::app)) throw cannot_write(path);
  const TemporaryFile source("graph", text);
  const std::string command = "dot -Tsvg -o " + for_shell(path) + " " + for_shell(source.path());
  if (std::system(command.c_str()) != 0) throw FileError(fmt::format("cannot draw {}: dot failed", path));
}

}  // namespace

std::string to_dot(const Run& run, const GraphOptions& options) {
  return Drawing(run, graph_nodes(run, options.depth)).text();
}

void write_graph(const Run& run, const std::string& path, const GraphOptions& options) {
  if (path.ends_with(".dot") || path.ends_with(".gv")) return write_text(path, to_dot(run, options));
  if (!path.ends_with(".svg"))
    throw UsageError(fmt::format("a graph is written to a .svg, .dot or .gv, not to {}", path));
  const GraphNodes graph = graph_nodes(run, options.depth);
  if (graph.nodes.size() > most_drawn) {
    throw FileError(
        fmt::format("cannot draw {}: the graph has {} nodes, and dot draws up to {} in reasonable time; fold sections "
                    "with a smaller depth, or write a .dot",
                    path, graph.nodes.size(), most_drawn));
  }
  draw(path, Drawing(run, graph).text());
}

}  // namespace stretto::report
