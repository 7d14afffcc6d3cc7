#include <gtest/gtest.h>
#include <stretto/report/graph.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <stretto/base/error.h>
#include <stretto/base/temporary_file.h>

#include "report/contents.h"
#include "report/graph_nodes.h"
#include "report/hand_made_run.h"

namespace stretto::report {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

bool has_dot() { return std::system("command -v dot >/dev/null 2>&1") == 0; }

/// Whether Graphviz takes the text; true where it is not installed.
bool parses(const std::string& dot) {
  if (!has_dot()) return true;
  const TemporaryFile file("run", dot);
  return std::system(("dot -Tdot -o /dev/null " + file.path() + " 2>/dev/null").c_str()) == 0;
}

/// A section with two levels, then a task outside.
HandMadeRun with_sections() {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 1).section = "layer1/forward";
  made.add("b", "cpu:0 worker 1", 1, 3, {0}).section = "layer1/forward";
  made.add("c", "cpu:0 worker 1", 3, 4, {1}).section = "layer1/backward";
  made.add("d", "sim:0 stream 0", 4, 5, {2});
  return made;
}

TEST(Graph, HasANodeForEachTaskAndALineForEachDependency) {
  HandMadeRun made;
  made.add("first", "cpu:0 worker 1", 0, 5).line = "p.cpp:3";
  made.add("second", "sim:0 stream 0", 0, 3);
  made.add("to", "sim:0 to host", 5, 6, {0}).role = Role::to_host;
  made.add("third", "sim:0 stream 0", 3, 4, {1}).after.push_back({0, Hazard::war});
  const std::string dot = to_dot(made.run);
  EXPECT_TRUE(contains(dot, "t0 [label=\"first\\np.cpp:3\"")) << dot;
  EXPECT_TRUE(contains(dot, "label=\"to, sim:0 → CPU\"")) << dot;
  EXPECT_EQ(count(dot, "shape=cds"), 1u);
  EXPECT_EQ(count(dot, " -> "), 3u);
  EXPECT_TRUE(contains(dot, "t0 -> t3 [style=dashed"));
  EXPECT_TRUE(contains(dot, "t1 -> t3;"));
  // first and to are the longest chain: two nodes and the line between them.
  EXPECT_TRUE(contains(dot, "t0 -> t2 [penwidth=3]"));
  EXPECT_EQ(count(dot, "penwidth=3"), 3u);
  // A device has one colour, another one has another.
  const auto fill = [&](const std::string& node) {
    const std::size_t at = dot.find("fillcolor", dot.find("  " + node + " [label"));
    return dot.substr(at, 19);
  };
  EXPECT_EQ(fill("t1"), fill("t3"));
  EXPECT_NE(fill("t0"), fill("t1"));
  EXPECT_TRUE(parses(dot)) << dot;
}

TEST(Graph, LeavesOutOverwritesThatOtherLinesImply) {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 0, 1);
  made.add("b", "cpu:0 worker 1", 1, 2, {0});
  Task& c = made.add("c", "cpu:0 worker 1", 2, 3, {1});
  c.after.push_back({0, Hazard::waw});
  EXPECT_EQ(graph_nodes(made.run, {}).lines.size(), 2u);
  // What is read is always shown.
  made.run.tasks[2].after.push_back({0, Hazard::raw});
  EXPECT_EQ(graph_nodes(made.run, {}).lines.size(), 3u);
}

TEST(Graph, NestsSectionsAndFoldsThem) {
  const HandMadeRun made = with_sections();
  const std::string all = to_dot(made.run);
  EXPECT_EQ(count(all, "subgraph cluster_"), 3u);
  EXPECT_LT(all.find("label=\"layer1\""), all.find("label=\"forward\""));
  EXPECT_EQ(graph_nodes(made.run, {}).nodes.size(), 4u);
  EXPECT_TRUE(parses(all)) << all;

  const std::string one = to_dot(made.run, {1});
  EXPECT_EQ(count(one, "subgraph cluster_"), 1u);
  EXPECT_TRUE(contains(one, "label=\"forward\\n2 tasks\"")) << one;
  EXPECT_TRUE(contains(one, "label=\"backward\\n1 tasks\"")) << one;
  EXPECT_EQ(count(one, " -> "), 2u);

  const std::string none = to_dot(made.run, {0});
  EXPECT_EQ(count(none, "subgraph cluster_"), 0u);
  EXPECT_TRUE(contains(none, "label=\"layer1\\n3 tasks\"")) << none;
  EXPECT_TRUE(contains(none, "label=\"d\"")) << none;
  EXPECT_EQ(count(none, " -> "), 1u);
  EXPECT_TRUE(parses(none)) << none;
}

TEST(Graph, EscapesLabels) {
  HandMadeRun made;
  made.add("w\"1\n{a|b}", "cpu:0 worker 1", 0, 1).section = "s\"\\/<b>\x01";
  made.run.tasks[0].device = "<&\">";
  made.run.command = "a \\N <b>";
  const std::string dot = to_dot(made.run);
  EXPECT_TRUE(contains(dot, "label=\"w\\\"1\\n{a|b}\"")) << dot;
  EXPECT_TRUE(contains(dot, "label=\"s\\\"\\\\\"")) << dot;
  EXPECT_TRUE(contains(dot, "label=\"<b>?\"")) << dot;
  EXPECT_TRUE(contains(dot, "&lt;&amp;&quot;&gt;")) << dot;
  EXPECT_TRUE(parses(dot)) << dot;
}

TEST(Graph, MayBeOfNoTaskOrOne) {
  EXPECT_TRUE(contains(to_dot(report::Run()), "nothing ran"));
  EXPECT_TRUE(parses(to_dot(report::Run())));
  HandMadeRun made;
  made.add("only", "cpu:0 worker 1", 0, 1);
  EXPECT_EQ(graph_nodes(made.run, 0).nodes.size(), 1u);
  EXPECT_TRUE(parses(to_dot(made.run)));
}

TEST(Graph, IsWrittenAsTextOrAsAPicture) {
  const TemporaryFile place("run");
  const std::string text = place.path() + ".dot", picture = place.path() + "'s.svg";
  const HandMadeRun made = with_sections();
  write_graph(made.run, text);
  EXPECT_EQ(contents(text), to_dot(made.run));
  std::filesystem::remove(text);
  if (!has_dot()) GTEST_SKIP() << "there is no program dot here";
  write_graph(made.run, picture);
  EXPECT_EQ(count(contents(picture), "class=\"node\""), 4u);
  std::filesystem::remove(picture);
}

std::string complaint(const report::Run& run, const std::string& path) {
  try {
    write_graph(run, path);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Graph, SaysWhyItCannotBeWritten) {
  EXPECT_EQ(complaint(report::Run(), "graph.png"), "a graph is written to a .svg, .dot or .gv, not to graph.png");
  EXPECT_EQ(complaint(report::Run(), "/nowhere/graph.dot"),
            "cannot write /nowhere/graph.dot: No such file or directory");
  HandMadeRun made;
  for (int i = 0; i < 3001; ++i) made.add("a", "cpu:0 worker 1", i, i + 1);
  EXPECT_EQ(
      complaint(made.run, "/nowhere/graph.svg"),
      "cannot draw /nowhere/graph.svg: the graph has 3001 nodes, and dot draws up to 3000 in reasonable time; fold "
      "sections with a smaller depth, or write a .dot");
  if (has_dot()) {
    EXPECT_EQ(complaint(report::Run(), "/nowhere/graph.svg"),
              "cannot write /nowhere/graph.svg: No such file or directory");
  }
}

TEST(Graph, SaysThatThereIsNoDot) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::string line = complaint(report::Run(), "/nowhere/graph.svg");
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(line,
            "cannot draw /nowhere/graph.svg: there is no program dot here (Debian's package graphviz has it); a "
            "name that ends in .dot gets the graph as text");
}

}  // namespace
}  // namespace stretto::report
