#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/run_command.h"

namespace {

/// A product on a stream, copied to the host while the next one runs; the program waits for the second copy.
constexpr const char* two_products = R"({"displayTimeUnit":"ns","traceEvents":[
{"ph":"M","name":"stretto","pid":1,"tid":0,"args":{"format":1,"version":"0.1.0","engine":"parallel","command":"products 2","devices":[{"name":"sim:0","streams":1}]}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"program"}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"sim:0 stream 0"}},
{"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"sim:0 to host"}},
{"ph":"X","name":"matmul","cat":"task","pid":1,"tid":2,"ts":0.000,"dur":100.000,"args":{"id":1,"device":"sim:0","role":"compute","line":"p.cpp:5","submitted":0.000,"issued":0.000}},
{"ph":"X","name":"to","cat":"task","pid":1,"tid":3,"ts":100.000,"dur":50.000,"args":{"id":2,"device":"sim:0","role":"to host","line":"p.cpp:6","submitted":1.000,"issued":1.000,"after":[[1,"raw"]]}},
{"ph":"X","name":"matmul","cat":"task","pid":1,"tid":2,"ts":100.000,"dur":100.000,"args":{"id":3,"device":"sim:0","role":"compute","line":"p.cpp:5","submitted":2.000,"issued":2.000}},
{"ph":"X","name":"to","cat":"task","pid":1,"tid":3,"ts":200.000,"dur":50.000,"args":{"id":4,"device":"sim:0","role":"to host","line":"p.cpp:6","submitted":3.000,"issued":3.000,"after":[[3,"raw"]]}},
{"ph":"X","name":"wait for to","cat":"wait","pid":1,"tid":1,"ts":10.000,"dur":240.000,"args":{"cause":"host read","for":4,"line":"p.cpp:9"}}
]}
)";

class Trace : public testing::Test {
 protected:
  std::string file(const std::string& text) const {
    const std::string path = folder_.path("run.json");
    std::ofstream(path) << text;
    return path;
  }

  TemporaryFolder folder_;
};

void expect_error(const CommandResult& result, int exit_code, const std::string& line) {
  EXPECT_EQ(result.exit_code, exit_code);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "stretto: " + line + "\n");
}

TEST_F(Trace, SummarySaysWhatLimitedTheRun) {
  const CommandResult result = run_command({"trace", "summary", file(two_products)});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  for (const char* part :
       {"products 2", "4 tasks on 2 tracks, parallel engine of version 0.1.0",
        "total  250 us   bound  200 us (the work of sim:0 stream 0)   ratio  1.250", "sim:0 to host", "40.0 %",
        "50 % of the smaller part is hidden behind the larger one", "host read      wait for to", "p.cpp:9",
        "busy lane      matmul", "dependency     to", "it reads what matmul (p.cpp:5) makes", "p.cpp:5"}) {
    EXPECT_NE(result.output.find(part), std::string::npos) << part << "\n" << result.output;
  }
  EXPECT_EQ(result.output.find('\033'), std::string::npos);
}

TEST_F(Trace, SummaryWritesItsFigures) {
  const std::string json = folder_.path("figures.json");
  EXPECT_EQ(run_command({"trace", "summary", file(two_products), "--json", json}).exit_code, 0);
  const auto document = nlohmann::json::parse(std::ifstream(json));
  const auto value = [&](const std::string& name) {
    for (const auto& result : document["results"]) {
      if (result["name"] == name) return result["value"].get<double>();
    }
    return -1.0;
  };
  EXPECT_DOUBLE_EQ(value("trace.total"), 250e-6);
  EXPECT_DOUBLE_EQ(value("trace.bound"), 200e-6);
  EXPECT_DOUBLE_EQ(value("trace.ratio"), 1.25);
  EXPECT_DOUBLE_EQ(value("trace.chain"), 150e-6);
  EXPECT_DOUBLE_EQ(value("trace.overlap"), 50e-6);
  EXPECT_DOUBLE_EQ(value("trace.busy.sim:0 to host"), 100e-6);
  EXPECT_EQ(value("trace.tasks"), 4);
}

TEST_F(Trace, SummaryOfAFileThatWasCutSaysSo) {
  const std::string text = two_products;
  const CommandResult result = run_command({"trace", "summary", file(text.substr(0, text.size() / 2))});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("the file ends before its end"), std::string::npos) << result.output;
}

TEST_F(Trace, SummaryOfNothingSaysSo) {
  const CommandResult result = run_command({"trace", "summary", file("[]")});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find("nothing ran"), std::string::npos) << result.output;
}

TEST_F(Trace, SummaryWritesAPage) {
  const std::string page = folder_.path("page.html"), timeline = file(two_products);
  const CommandResult result = run_command({"trace", "summary", timeline, "--html", page});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_NE(result.output.find(page + " shows it in a browser"), std::string::npos) << result.output;
  std::string first;
  std::getline(std::ifstream(page) >> std::ws, first);
  EXPECT_EQ(first, "<!doctype html>");
  EXPECT_EQ(run_command({"trace", "summary", timeline, "--html", "/nowhere/page.html"}).errors,
            "stretto: cannot write /nowhere/page.html: No such file or directory\n");
}

TEST_F(Trace, GraphIsTextOrAPicture) {
  const std::string timeline = file(two_products), dot = folder_.path("graph.dot");
  const CommandResult text = run_command({"graph", timeline});
  EXPECT_EQ(text.exit_code, 0) << text.errors;
  EXPECT_TRUE(text.output.starts_with("digraph run {\n")) << text.output;
  EXPECT_EQ(run_command({"graph", timeline, "-o", dot, "--depth", "1"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(dot));
  expect_error(run_command({"graph", timeline, "-o", "graph.png"}), 2,
               "--output: a graph is written to a .svg, .dot or .gv, not to graph.png");
  EXPECT_EQ(run_command({"graph", timeline, "--depth", "-1"}).exit_code, 2);
  expect_error(run_command({"graph", timeline, "-o", "/nowhere/graph.dot"}), 1,
               "cannot write /nowhere/graph.dot: No such file or directory");
}

TEST_F(Trace, WhatIfPredictsAnotherMachine) {
  const std::string timeline = file(two_products);
  const CommandResult same = run_command({"trace", "whatif", timeline});
  EXPECT_EQ(same.exit_code, 0) << same.errors;
  EXPECT_NE(same.output.find("predicted      250 us  1.000 of the recorded time, with the recorded machine"),
            std::string::npos)
      << same.output;
  const CommandResult other = run_command({"trace", "whatif", timeline, "--devices", "2", "--compute", "2"});
  EXPECT_EQ(other.exit_code, 0) << other.errors;
  // The second product is submitted at 2, takes 50 and is copied in 50; the program wakes at once.
  EXPECT_NE(other.output.find("predicted      102 us"), std::string::npos) << other.output;
  EXPECT_NE(other.output.find("2 devices, computing 2 times as fast"), std::string::npos) << other.output;
  for (const auto& wrong : {std::pair("--devices", "0"), {"--link", "0"}, {"--link", "fast"}, {"--compute", "-2"}}) {
    EXPECT_EQ(run_command({"trace", "whatif", timeline, wrong.first, wrong.second}).exit_code, 2) << wrong.first;
  }
}

TEST_F(Trace, ReportsMayBeOfASection) {
  std::string text = two_products;
  const std::string place = R"("line":"p.cpp:5","submitted":2.000)";
  text.insert(text.find(place), R"("section":"second/run",)");
  const std::string timeline = file(text);
  const CommandResult part = run_command({"trace", "summary", timeline, "--section", "second"});
  EXPECT_EQ(part.exit_code, 0) << part.errors;
  EXPECT_NE(part.output.find("1 tasks on 1 tracks"), std::string::npos) << part.output;
  expect_error(run_command({"graph", timeline, "--section", "third"}), 2,
               "no task is in the section third; there are second/run");
}

TEST_F(Trace, RefusesOtherFilesInOneLine) {
  const std::string path = file("{\"results\": []}");
  expect_error(run_command({"trace", "summary", path}), 1,
               path + " is no timeline: it is JSON, but neither an array nor an object of \"traceEvents\"");
  expect_error(run_command({"trace", "summary", "/nowhere/at/all"}), 1,
               "cannot read /nowhere/at/all: No such file or directory");
  EXPECT_EQ(run_command({"trace", "summary"}).exit_code, 2);
  EXPECT_EQ(run_command({"trace", "sumary", path}).exit_code, 2);
  EXPECT_EQ(run_command({"trace"}).exit_code, 2);
}

}  // namespace
