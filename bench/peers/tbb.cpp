#include <tbb/flow_graph.h>

#include <algorithm>
#include <deque>

#include "peer.h"

// A oneTBB flow graph, built for the program and then run once. It infers nothing: the edges are found here, as a
// person would have to, and building is part of the time.
namespace {

using namespace peer;
using tbb::flow::continue_msg;
using tbb::flow::continue_node;
using Node = continue_node<continue_msg>;

void independent(std::vector<Value>& values, std::int64_t count) {
  const auto number = static_cast<std::int64_t>(values.size());
  for (std::int64_t begin = 0; begin < count; begin += number) {
    tbb::flow::graph graph;
    std::deque<Node> nodes;
    const std::int64_t end = std::min(count, begin + number);
    for (std::int64_t i = begin; i < end; ++i) {
      Value* target = values.data() + (i - begin);
      nodes.emplace_back(graph, [target](const continue_msg&) { update(*target); });
      nodes.back().try_put(continue_msg());
    }
    graph.wait_for_all();
  }
}

void chain(Value& value, std::int64_t count) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  Value* target = &value;
  for (std::int64_t i = 0; i < count; ++i) {
    nodes.emplace_back(graph, [target](const continue_msg&) { update(*target); });
    if (i > 0) make_edge(nodes[nodes.size() - 2], nodes.back());
  }
  nodes.front().try_put(continue_msg());
  graph.wait_for_all();
}

/// What happened last to a variable.
struct Accesses {
  Node* writer = nullptr;
  std::vector<Node*> readers;
};

void random_dag(std::vector<Value>& values, const std::vector<DagTask>& tasks) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  std::vector<Accesses> accesses(values.size());
  std::vector<Node*> starts;
  std::vector<Node*> predecessors;
  for (const DagTask& task : tasks) {
    const Value* first = values.data() + task.first;
    const Value* second = values.data() + task.second;
    Value* target = values.data() + task.target;
    nodes.emplace_back(graph, [=](const continue_msg&) { update(*target, *first, *second); });
    Node* node = &nodes.back();
    predecessors.clear();
    for (const std::uint8_t variable : {task.first, task.second, task.target}) {
      if (accesses[variable].writer != nullptr) predecessors.push_back(accesses[variable].writer);
    }
    for (Node* reader : accesses[task.target].readers) predecessors.push_back(reader);
    std::ranges::sort(predecessors);
    predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
    for (Node* predecessor : predecessors) make_edge(*predecessor, *node);
    if (predecessors.empty()) starts.push_back(node);
    accesses[task.first].readers.push_back(node);
    accesses[task.second].readers.push_back(node);
    accesses[task.target] = {node, {}};
  }
  for (Node* node : starts) node->try_put(continue_msg());
  graph.wait_for_all();
}

}  // namespace

int main(int argc, char** argv) { return peer::run(argc, argv, {&independent, &chain, &random_dag}); }
