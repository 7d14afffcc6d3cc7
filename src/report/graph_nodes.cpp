#include "report/graph_nodes.h"

#include <algorithm>

#include <stretto/report/chain.h>

namespace stretto::report {
namespace {

/// Up to so many tasks, lines that say nothing new are looked for: takes the square of the number in bits.
constexpr std::size_t most_reduced = 5000;

std::vector<std::string> parts_of(const std::string& section) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < section.size();) {
    const std::size_t end = std::min(section.find('/', begin), section.size());
    if (end > begin) parts.push_back(section.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// The edges of each task without those that a longer way through other tasks implies.
std::vector<std::vector<Edge>> drawn_edges(const Run& run) {
  std::vector<std::vector<Edge>> result(run.tasks.size());
  std::vector<std::vector<bool>> reached(run.tasks.size());
  const bool is_reduced = run.tasks.size() <= most_reduced;
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    std::vector<Edge> edges = run.tasks[task].after;
    if (is_reduced) {
      // What one predecessor comes after, the task comes after too. Later ones imply earlier ones, never the reverse.
      std::ranges::stable_sort(edges, std::ranges::greater(), &Edge::from);
      std::vector<bool> implied(task);
      for (const Edge& edge : edges) {
        if (edge.hazard == Hazard::raw || !implied[edge.from]) result[task].push_back(edge);
        for (std::size_t i = 0; i < reached[edge.from].size(); ++i) {
          if (reached[edge.from][i]) implied[i] = true;
        }
      }
      for (const Edge& edge : edges) implied[edge.from] = true;
      reached[task] = std::move(implied);
    } else {
      result[task] = std::move(edges);
    }
  }
  return result;
}

}  // namespace

GraphNodes graph_nodes(const Run& run, std::optional<int> depth) {
  GraphNodes graph;
  std::map<std::vector<std::string>, std::size_t> folded;
  std::vector<std::size_t> node_of(run.tasks.size());
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    std::vector<std::string> around = parts_of(run.tasks[task].section);
    std::size_t node = graph.nodes.size();
    if (depth && std::ssize(around) > *depth) {
      around.resize(static_cast<std::size_t>(*depth) + 1);
      node = folded.try_emplace(around, node).first->second;
    }
    if (node == graph.nodes.size()) {
      graph.nodes.emplace_back();
      if (folded.contains(around)) {
        graph.nodes.back().folded = around.back();
        around.pop_back();
      }
      graph.nodes.back().around = std::move(around);
    }
    graph.nodes[node].tasks.push_back(task);
    node_of[task] = node;
  }

  const std::vector<std::vector<Edge>> edges = drawn_edges(run);
  for (std::size_t task = 0; task < run.tasks.size(); ++task) {
    for (const Edge& edge : edges[task]) {
      if (node_of[edge.from] == node_of[task]) continue;
      const auto [place, is_new] = graph.lines.try_emplace({node_of[edge.from], node_of[task]}, GraphLine{edge.hazard});
      if (!is_new) place->second.hazard = std::min(place->second.hazard, edge.hazard);
    }
  }

  const Chain chain = longest_chain(run);
  for (std::size_t i = 0; i < chain.tasks.size(); ++i) {
    const std::size_t node = node_of[chain.tasks[i]];
    graph.nodes[node].is_critical = true;
    if (i == 0) continue;
    const std::size_t before = node_of[chain.tasks[i - 1]];
    if (const auto line = graph.lines.find({before, node}); line != graph.lines.end()) line->second.is_critical = true;
  }
  return graph;
}

}  // namespace stretto::report
