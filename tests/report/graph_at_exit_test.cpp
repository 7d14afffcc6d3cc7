#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <stretto/base/temporary_file.h>
#include <stretto/ops/arithmetic.h>
#include <stretto/ops/creation.h>
#include <stretto/tensor/devices.h>

#include "report/contents.h"

namespace stretto::report {
namespace {

/// The program whose graph is drawn.
[[noreturn]] void add_two_tensors() {
  const Tensor sum = ones({2}) + ones({2});
  wait_all();
  std::exit(sum.to_vector<float>()[0] == 2 ? 0 : 1);
}

TEST(GraphAtExit, IsDrawnOfTheWholeRun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The test begins anew in another process, and finds the name of the file there.
  const TemporaryFile place("run");
  setenv("STRETTO_GRAPH", (place.path() + ".dot").c_str(), 0);
  const std::string graph = std::getenv("STRETTO_GRAPH");
  EXPECT_EXIT(add_two_tensors(), testing::ExitedWithCode(0), "^$");
  const std::string dot = contents(graph);
  EXPECT_TRUE(dot.starts_with("digraph run {")) << dot;
  EXPECT_NE(dot.find("label=\"ones\\n"), std::string::npos) << dot;
  EXPECT_NE(dot.find("label=\"add\\n"), std::string::npos) << dot;
  EXPECT_NE(dot.find("t0 -> t2"), std::string::npos) << dot;
  EXPECT_NE(dot.find("t1 -> t2"), std::string::npos) << dot;
  EXPECT_FALSE(std::filesystem::exists(graph + ".trace.json"));
  std::filesystem::remove(graph);
  unsetenv("STRETTO_GRAPH");
}

}  // namespace
}  // namespace stretto::report
