#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/run_command.h"

namespace {

nlohmann::json read(const std::string& path) { return nlohmann::json::parse(std::ifstream(path)); }

TEST(TraceRun, RecordsAProgram) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.json");
  const CommandResult result = run_command({"trace", "run", "-o", file, "--", STRETTO_COMMAND, "info"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(result.output, run_command({"info"}).output);
  EXPECT_EQ(result.errors,
            "stretto: the timeline is in " + file + "; stretto trace summary " + file + " tells of it\n");
  const nlohmann::json head = read(file).at("traceEvents").at(0).at("args");
  EXPECT_EQ(head.at("format"), 1);
  EXPECT_EQ(head.at("command"), std::string(STRETTO_COMMAND) + " info");
  EXPECT_EQ(head.at("devices").at(0).at("name"), "cpu:0");
}

TEST(TraceRun, PassesTheExitCodeOn) {
  const TemporaryFolder folder;
  const std::string file = folder.path("run.json");
  for (const auto& [script, code] : {std::pair("exit 7", 7), {"kill -9 $$", 128 + 9}, {"exit 0", 0}}) {
    const CommandResult result = run_command({"trace", "run", "-o", file, "--", "sh", "-c", script});
    EXPECT_EQ(result.exit_code, code);
    EXPECT_EQ(result.errors, "stretto: sh recorded nothing: it does not use Stretto, or no task of it\n");
    EXPECT_FALSE(std::filesystem::exists(file));
  }
}

TEST(TraceRun, HandsArgumentsAndFileOver) {
  const TemporaryFolder folder;
  const CommandResult result = run_command({"trace", "run", "--output=" + folder.path("x.json"), "--", "sh", "-c",
                                            "echo $STRETTO_TRACE $0 $1; cat; echo {} > $STRETTO_TRACE", "a b", "-o"});
  EXPECT_EQ(result.output, folder.path("x.json") + " a b -o\n");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.path("x.json")));
}

TEST(TraceRun, SaysWhatIsWrongBeforeTheProgramStarts) {
  const TemporaryFolder folder;
  const CommandResult unwritable = run_command(
      {"trace", "run", "-o", folder.path("no/x.json"), "--", "sh", "-c", "touch " + folder.path("started")});
  EXPECT_EQ(unwritable.exit_code, 2);
  EXPECT_EQ(unwritable.errors,
            "stretto: cannot write the timeline to " + folder.path("no/x.json") + ": No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path("started")));

  const CommandResult absent = run_command({"trace", "run", "-o", folder.path("x.json"), "--", "no-such-program"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_EQ(absent.errors, "stretto: cannot run no-such-program: No such file or directory\n");
  EXPECT_FALSE(std::filesystem::exists(folder.path("x.json")));

  const CommandResult none = run_command({"trace", "run"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(run_command({"trace"}).errors, "stretto: trace what? run, summary, whatif\n");
}

}  // namespace
