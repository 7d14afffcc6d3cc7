#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "cli/bench/bench_run.h"
#include "cli/run_command.h"

namespace {

/// The figures that a bench writes, and their units. All are printed, too, and are numbers within their bounds.
std::map<std::string, std::string> figures_of(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  arguments.insert(arguments.begin(), "bench");
  arguments.insert(arguments.end(), {"--json", folder.path("figures.json")});
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_FALSE(contains(result.output, "\033"));
  std::map<std::string, std::string> figures;
  const auto document = nlohmann::json::parse(std::ifstream(folder.path("figures.json")));
  EXPECT_TRUE(document.contains("version"));
  EXPECT_TRUE(document["machine"].contains("processor"));
  for (const auto& figure : document["results"]) {
    for (const char* number : {"min", "value", "max"}) EXPECT_TRUE(figure[number].is_number()) << figure;
    EXPECT_GT(figure["min"], 0) << figure;
    EXPECT_LE(figure["min"], figure["value"]) << figure;
    EXPECT_LE(figure["value"], figure["max"]) << figure;
    EXPECT_FALSE(figures.contains(figure["name"])) << figure;
    EXPECT_TRUE(contains(result.output, figure["name"])) << figure;
    figures[figure["name"]] = figure["unit"];
  }
  return figures;
}

using Figures = std::map<std::string, std::string>;

TEST(BenchNames, ChooseFiguresAndAllThatBeginWithThem) {
  using stretto::cli::asks_for;
  const auto asks = [](std::vector<std::string> names, const char* figure) { return asks_for(names, figure); };
  EXPECT_TRUE(asks({}, "tasks.chain"));
  EXPECT_TRUE(asks({"tasks"}, "tasks.chain"));
  EXPECT_TRUE(asks({"ops", "tasks.chain"}, "tasks.chain"));
  EXPECT_TRUE(asks({"matmul.1024"}, "matmul.1024.ratio"));
  EXPECT_TRUE(asks({"tasks.chain.openmp"}, "tasks.chain"));
  EXPECT_FALSE(asks({"tasks.chain"}, "tasks.tiles"));
  EXPECT_FALSE(asks({"matmul.10"}, "matmul.1024"));
}

TEST(BenchNames, SaySizes) {
  using stretto::cli::sizes_of;
  using Sizes = std::vector<std::int64_t>;
  const auto sizes = [](std::vector<std::string> names, std::optional<std::int64_t> size) {
    stretto::cli::BenchOptions options;
    options.names = std::move(names);
    options.size = size;
    return sizes_of("matmul", options, {1024, 2048});
  };
  EXPECT_EQ(sizes({}, {}), (Sizes{1024, 2048}));
  EXPECT_EQ(sizes({"matmul"}, {}), (Sizes{1024, 2048}));
  EXPECT_EQ(sizes({}, 64), (Sizes{64}));
  EXPECT_EQ(sizes({"matmul.512", "matmul.512.ratio", "matmul.96"}, {}), (Sizes{512, 96}));
  EXPECT_THROW(sizes({"matmul.big"}, {}), stretto::UsageError);
  EXPECT_THROW(sizes({"matmul.0"}, {}), stretto::UsageError);
}

TEST(Bench, ListsItsFigures) {
  const CommandResult result = run_command({"bench", "list"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* name : {"tasks.random_dag", "tasks.metg50", "ops.tiny_add", "memory.coupling", "matmul.<n>.ratio",
                           "parallel.ratio", "overlap.cold.run_and_copy", "small.<n>.speedup", "mlp.step"}) {
    EXPECT_TRUE(contains(result.output, name)) << name;
  }
}

TEST(Bench, RefusesAnUnknownName) {
  const CommandResult result = run_command({"bench", "tasks.chian"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors,
            "stretto: there is no bench tasks.chian; did you mean tasks.chain? (stretto bench list shows all)\n");
}

TEST(Bench, RefusesADeviceThatIsNotThere) {
  const CommandResult result = run_command({"bench", "ops", "--device", "sim:3", "--repeat", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "stretto: there is no device sim:3 here; there is cpu:0\n");
  EXPECT_EQ(run_command({"bench", "ops", "--device", "tpu", "--repeat", "1"}).exit_code, 2);
}

TEST(Bench, MeasuresTasks) {
  const Figures figures = figures_of({"tasks.chain", "tasks.tiles", "--count", "2000", "--repeat", "2"});
  EXPECT_EQ(figures.at("tasks.chain"), "ns");
  EXPECT_EQ(figures.at("tasks.tiles"), "ns");
  EXPECT_EQ(figures.at("machine.cores"), "cores");
  EXPECT_FALSE(figures.contains("tasks.independent"));
}

TEST(Bench, NamesTheDeviceOfAFigure) {
  const Figures figures = figures_of(
      {"tasks.random_dag", "ops", "--sim-devices", "1", "--device", "sim:0", "--count", "200", "--repeat", "1"});
  EXPECT_TRUE(figures.contains("tasks.random_dag.sim:0"));
  EXPECT_TRUE(figures.contains("ops.tiny_add.sim:0"));
}

TEST(Bench, MeasuresTheRestOfTheTasks) {
  const Figures figures =
      figures_of({"tasks.independent", "tasks.bytes_per_pending", "--count", "2000", "--repeat", "1"});
  EXPECT_EQ(figures.at("tasks.bytes_per_pending"), "bytes");
  EXPECT_TRUE(figures.contains("tasks.independent"));
}

TEST(Bench, MeasuresOperatorsMemoryAndTraining) {
  const Figures figures = figures_of({"ops", "memory", "mlp", "--count", "20", "--repeat", "1"});
  EXPECT_EQ(figures.at("ops.tiny_add"), "ns");
  EXPECT_EQ(figures.at("memory.coupling"), "ratio");
  EXPECT_EQ(figures.at("memory.peak"), "ratio");
  EXPECT_EQ(figures.at("mlp.step"), "us");
}

TEST(Bench, SaysWhatComesBeforeTheFirstReplay) {
  const Figures asked =
      figures_of({"tasks.chain.replay", "small.32", "mlp.step.replay", "--count", "20", "--repeat", "1"});
  for (const char* name : {"tasks.chain.replay", "small.32.replay", "mlp.step.replay"}) {
    EXPECT_TRUE(asked.contains(name)) << name;
    EXPECT_EQ(asked.at(std::string(name) + ".calls"), "calls");
    EXPECT_EQ(asked.at(std::string(name) + ".first"), asked.at(name));
  }
  // Each in a process of its own: what was left alone in one is not what another one waits for.
  for (const char* name : {"repeats.tasks.chain", "repeats.tasks.random_dag", "repeats.small.32", "repeats.mlp.step"}) {
    const Figures found = figures_of({name, "--count", "20", "--repeat", "1"});
    EXPECT_TRUE(found.contains(name)) << name;
    EXPECT_EQ(found.at(std::string(name) + ".calls"), "calls");
    EXPECT_EQ(found.at(std::string(name) + ".first"), found.at(name));
  }
}

TEST(Bench, MeasuresProductsAgainstTheLibrary) {
  const Figures figures = figures_of({"matmul.96", "small.32", "--repeat", "1"});
  EXPECT_EQ(figures.at("matmul.96"), "GFLOP/s");
  EXPECT_EQ(figures.at("matmul.96.ratio"), "ratio");
  EXPECT_EQ(figures.at("small.32.speedup"), "ratio");
}

TEST(Bench, MeasuresSeveralDevices) {
  const Figures figures = figures_of({"parallel", "overlap", "--size", "64", "--count", "3", "--repeat", "1"});
  for (const char* name : {"parallel.cpu:0", "parallel.cpu:1", "parallel.all", "overlap.run", "overlap.copy",
                           "overlap.run_and_copy", "overlap.cold.run_and_copy"}) {
    EXPECT_EQ(figures.at(name), "s") << name;
  }
  for (const char* name : {"parallel.ratio", "overlap.ratio", "overlap.serial", "overlap.all", "overlap.pipeline"}) {
    EXPECT_EQ(figures.at(name), "ratio") << name;
  }
}

/// One run for all figures that the engine, the operators and the training are held against, at small sizes.
TEST(Bench, WritesEveryFigureOfTheEngine) {
  const Figures figures = figures_of({"tasks", "ops", "memory", "mlp", "matmul.64", "matmul.96", "parallel", "overlap",
                                      "--size", "64", "--count", "50", "--repeat", "1"});
  const Figures expected = {
      {"tasks.random_dag", "ns"},   {"tasks.chain", "ns"},        {"tasks.independent", "ns"},
      {"tasks.tiles", "ns"},        {"tasks.metg50", "us"},       {"tasks.bytes_per_pending", "bytes"},
      {"matmul.64", "GFLOP/s"},     {"matmul.64.ratio", "ratio"}, {"matmul.96", "GFLOP/s"},
      {"matmul.96.ratio", "ratio"}, {"parallel.ratio", "ratio"},  {"overlap.ratio", "ratio"},
      {"overlap.serial", "ratio"},  {"memory.coupling", "ratio"}, {"memory.peak", "ratio"},
      {"ops.tiny_add", "ns"},       {"mlp.step", "us"},           {"machine.cores", "cores"}};
  for (const auto& [name, unit] : expected) {
    ASSERT_TRUE(figures.contains(name)) << name;
    EXPECT_EQ(figures.at(name), unit) << name;
  }
}

TEST(Bench, NeedsSeveralDevicesForSome) {
  const CommandResult result = run_command({"bench", "parallel", "--cpu-devices", "1", "--repeat", "1"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.errors, "stretto: bench parallel needs two devices; --cpu-devices 2 splits the CPU\n");
}

}  // namespace
