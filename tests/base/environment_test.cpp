#include "base/environment.h"

#include <gtest/gtest.h>
#include <stretto/base/error.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <thread>

namespace stretto {
namespace {

ParsedEnvironment parse(std::initializer_list<std::string_view> assignments) {
  return parse_environment(std::span(assignments.begin(), assignments.size()));
}

std::string failure(std::string_view assignment) {
  try {
    parse({assignment});
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Environment, DefaultsHoldWhereNothingIsSet) {
  const auto [values, warnings] = parse({"HOME=/home/someone", "PATH=/bin"});
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(values.engine, EngineKind::parallel);
  EXPECT_FALSE(values.schedule_seed.has_value());
  EXPECT_FALSE(values.workers.has_value());
  EXPECT_EQ(values.cpu_devices, 1);
  EXPECT_TRUE(values.replay);
  EXPECT_TRUE(values.fuse);
  EXPECT_TRUE(values.graphs);
  EXPECT_FALSE(values.check_access);
  EXPECT_EQ(values.log, LogLevel::warning);
}

TEST(Environment, ReadsEveryKindOfValue) {
  const auto [values, warnings] = parse({"STRETTO_ENGINE=serial",
                                         "STRETTO_SCHEDULE=random:18446744073709551615",
                                         "STRETTO_WORKERS=3",
                                         "STRETTO_CPU_DEVICES=2",
                                         "STRETTO_SIM_DEVICES=4",
                                         "STRETTO_SIM_MODEL=h200,dry",
                                         "STRETTO_CUDA_DEVICES=0,1,0",
                                         "STRETTO_STREAMS=8",
                                         "STRETTO_MAX_INFLIGHT=100",
                                         "STRETTO_MEMORY_LIMIT=2G",
                                         "STRETTO_PINNED_LIMIT=512k",
                                         "STRETTO_REPLAY=off",
                                         "STRETTO_FUSE=0",
                                         "STRETTO_GRAPHS=0",
                                         "STRETTO_CHECK=access",
                                         "STRETTO_TRACE=a=b.json",
                                         "STRETTO_GRAPH=graph.dot",
                                         "STRETTO_LOG=debug",
                                         "STRETTO_WATCHDOG=2.5",
                                         "STRETTO_EXIT_TIMEOUT=0"});
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(values.engine, EngineKind::serial);
  EXPECT_EQ(values.schedule_seed, 18446744073709551615u);
  EXPECT_EQ(values.workers, 3);
  EXPECT_EQ(values.cpu_devices, 2);
  EXPECT_EQ(values.sim_devices, 4);
  EXPECT_EQ(values.sim_model, "h200,dry");
  EXPECT_EQ(values.cuda_devices, (std::vector{0, 1, 0}));
  EXPECT_EQ(values.streams, 8);
  EXPECT_EQ(values.max_inflight, 100);
  EXPECT_EQ(values.memory_limit, std::size_t{2} << 30);
  EXPECT_EQ(values.pinned_limit, std::size_t{512} << 10);
  EXPECT_FALSE(values.replay);
  EXPECT_FALSE(values.fuse);
  EXPECT_FALSE(values.graphs);
  EXPECT_TRUE(values.check_access);
  EXPECT_EQ(values.trace, "a=b.json");
  EXPECT_EQ(values.graph, "graph.dot");
  EXPECT_EQ(values.log, LogLevel::debug);
  EXPECT_EQ(values.watchdog, 2.5);
  EXPECT_EQ(values.exit_timeout, 0);
}

TEST(Environment, CheckingAccessesIsTheSerialEngines) {
  EXPECT_EQ(parse({"STRETTO_CHECK=access", "STRETTO_ENGINE=parallel"}).values.engine, EngineKind::serial);
  EXPECT_EQ(parse({"STRETTO_CHECK=off"}).values.engine, EngineKind::parallel);
  EXPECT_FALSE(parse({"STRETTO_CHECK=off"}).values.check_replay);
  EXPECT_TRUE(parse({"STRETTO_CHECK=replay"}).values.check_replay);
  EXPECT_EQ(parse({"STRETTO_CHECK=replay"}).values.engine, EngineKind::parallel);
  EXPECT_EQ(failure("STRETTO_CHECK=1"),
            "environment variable STRETTO_CHECK=1: the value must be off, access or replay");
}

TEST(Environment, EmptyValueIsNotSet) {
  EXPECT_EQ(parse({"STRETTO_CPU_DEVICES="}).values.cpu_devices, 1);
  EXPECT_FALSE(parse({"STRETTO_TRACE="}).values.trace.has_value());
}

TEST(Environment, NoGpuCanBeAskedFor) {
  EXPECT_EQ(parse({"STRETTO_CUDA_DEVICES=none"}).values.cuda_devices, std::vector<int>());
  EXPECT_FALSE(parse({"HOME=/"}).values.cuda_devices.has_value());
}

TEST(Environment, AListOfGpusIsNumbersWithCommas) {
  for (const char* bad : {"0,", ",0", "0,,1", "-1", "all", "0 1", "0;1"}) {
    EXPECT_EQ(failure(std::string("STRETTO_CUDA_DEVICES=") + bad),
              "environment variable STRETTO_CUDA_DEVICES=" + std::string(bad) +
                  ": the value must be numbers of GPUs with commas between them, or none");
  }
}

TEST(Environment, BadValueNamesVariableValueAndWhatIsAllowed) {
  EXPECT_EQ(failure("STRETTO_ENGINE=fast"),
            "environment variable STRETTO_ENGINE=fast: the value must be parallel or serial");
  EXPECT_EQ(failure("STRETTO_CPU_DEVICES=0"),
            "environment variable STRETTO_CPU_DEVICES=0: the value must be an integer from 1 to 64");
  EXPECT_EQ(failure("STRETTO_SCHEDULE=random:"),
            "environment variable STRETTO_SCHEDULE=random:: the value must be random:SEED or deterministic:SEED, a "
            "seed from 0");
  EXPECT_EQ(failure("STRETTO_MEMORY_LIMIT=2X"),
            "environment variable STRETTO_MEMORY_LIMIT=2X: the value must be bytes, with K, M or G for powers of 1024");
  EXPECT_EQ(failure("STRETTO_REPLAY=yes"),
            "environment variable STRETTO_REPLAY=yes: the value must be off, asked or on (0 or 1)");
  EXPECT_EQ(failure("STRETTO_LOG=loud"),
            "environment variable STRETTO_LOG=loud: the value must be off, error, warning, info or debug");
  EXPECT_EQ(failure("STRETTO_WATCHDOG=-1"),
            "environment variable STRETTO_WATCHDOG=-1: the value must be seconds, 0 or more");
  for (const char* assignment :
       {"STRETTO_WORKERS=two", "STRETTO_WORKERS=2.5", "STRETTO_WORKERS= 2", "STRETTO_STREAMS=65", "STRETTO_SCHEDULE=1",
        "STRETTO_SCHEDULE=random:-1", "STRETTO_WATCHDOG=nan"}) {
    EXPECT_NE(failure(assignment), "accepted") << assignment;
  }
}

TEST(Environment, UnknownNameIsWarnedAboutWithTheNearest) {
  const auto warnings = parse({"STRETTO_WORKRES=3", "STRETTO_DEVICES=2", "STRETTOWORKERS=1"}).warnings;
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0], "the environment variable STRETTO_WORKRES is unknown; did you mean STRETTO_WORKERS?");
  EXPECT_NE(warnings[1].find("STRETTO_DEVICES is unknown"), std::string::npos);
}

TEST(Environment, SizesTakeSuffixes) {
  EXPECT_EQ(parse_size("0"), 0u);
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("3K"), 3072u);
  EXPECT_EQ(parse_size("1m"), std::size_t{1} << 20);
  EXPECT_EQ(parse_size("7G"), std::size_t{7} << 30);
  for (const char* text : {"", "K", "-1", "1.5G", "1GB", "1 G", "99999999999G", "18446744073709551616"}) {
    EXPECT_FALSE(parse_size(text).has_value()) << text;
  }
}

TEST(EnvironmentDeathTest, ProcessEnvironmentIsReadOnceAndWarnsOnce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STRETTO_SIM_DEVICES", "5", 1);
        setenv("STRETTO_SIM_DEVICE", "6", 1);
        const bool first = environment().sim_devices == 5;
        setenv("STRETTO_SIM_DEVICES", "7", 1);
        std::exit(first && environment().sim_devices == 5 ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "^stretto: warning: the environment variable STRETTO_SIM_DEVICE is unknown; did you mean "
      "STRETTO_SIM_DEVICES\\?\n$");
}

TEST(EnvironmentDeathTest, BadProcessEnvironmentThrowsUntilItIsRight) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STRETTO_STREAMS", "none", 1);
        bool thrown = false;
        try {
          environment();
        } catch (const UsageError&) {
          thrown = true;
        }
        setenv("STRETTO_STREAMS", "2", 1);
        std::exit(thrown && environment().streams == 2 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Environment, DocumentIsUpToDate) {
  std::ifstream file(STRETTO_SOURCE_FOLDER "/docs/environment.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), environment_table())
      << "docs/environment.md is stale; run: cmake --build --preset dev --target environment_docs";
}

TEST(Environment, TableHasOneRowForEachVariable) {
  const std::string table = environment_table();
  std::size_t rows = 0;
  for (auto at = table.find("| `STRETTO_"); at != std::string::npos; at = table.find("| `STRETTO_", at + 1)) ++rows;
  EXPECT_EQ(rows, 22u);
}

TEST(Environment, TableTellsTheDefaultsThatHold) {
  std::istringstream table(environment_table());
  std::size_t checked = 0;
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("| `STRETTO_")) continue;
    std::istringstream cells(line.substr(2));
    std::string name, allowed, value;
    std::getline(cells, name, '|');
    std::getline(cells, allowed, '|');
    std::getline(cells, value, '|');
    name = name.substr(1, name.rfind('`') - 1);
    value = value.substr(1, value.find(' ', 1) - 1);
    if (allowed == " a file name " || failure(name + "=" + value) != "accepted") continue;
    EXPECT_EQ(parse({name + "=" + value}).values, Environment()) << line;
    ++checked;
  }
  EXPECT_GE(checked, 9u);
}

}  // namespace
}  // namespace stretto
