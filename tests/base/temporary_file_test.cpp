#include <gtest/gtest.h>
#include <stretto/base/temporary_file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <stretto/base/error.h>

namespace stretto {
namespace {

/// A folder for temporary files of this test alone; the one before is so again afterwards.
class TemporaryFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "stretto-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder_.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty()) {
      unsetenv("TMPDIR");
    } else {
      setenv("TMPDIR", before_.c_str(), 1);
    }
    std::filesystem::remove_all(folder_);
  }

  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::string folder_;
  std::string before_;
};

std::string complaint(std::string_view text = {}) {
  try {
    const TemporaryFile file("made", text);
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

TEST_F(TemporaryFiles, HoldsTheTextAndIsGoneWithTheObject) {
  std::string path;
  {
    const TemporaryFile file("made", "a line\n");
    path = file.path();
    EXPECT_TRUE(path.starts_with(folder_ + "/stretto-made-")) << path;
    std::ifstream stream(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "a line\n");
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(TemporaryFiles, IsGoneWhenAnExceptionPasses) {
  try {
    const TemporaryFile file("made");
    EXPECT_EQ(count(), 1u);
    throw std::runtime_error("passes");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(TemporaryFiles, MayBeRemovedBySomebodyElse) {
  const TemporaryFile file("made");
  std::filesystem::remove(file.path());
}

TEST_F(TemporaryFiles, OfTwoProcessesAtOnceHaveNamesOfTheirOwn) {
  constexpr int each = 200;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  std::vector<std::unique_ptr<TemporaryFile>> files;
  std::set<std::string> names;
  for (int i = 0; i < each; ++i) names.insert(files.emplace_back(std::make_unique<TemporaryFile>("made"))->path());
  if (child == 0) _exit(names.size() == each ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(each));
  // The child has left its own behind.
  EXPECT_EQ(count(), static_cast<std::size_t>(2 * each));
  files.clear();
  EXPECT_EQ(count(), static_cast<std::size_t>(each));
}

TEST_F(TemporaryFiles, SayWhyTheyCannotBeMade) {
  setenv("TMPDIR", (folder_ + "/nowhere").c_str(), 1);
  EXPECT_EQ(complaint(), "there is no folder for temporary files (TMPDIR): No such file or directory");
}

TEST_F(TemporaryFiles, LeaveNothingWhenTheyCannotBeWritten) {
  struct rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = complaint("longer than that");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(said.starts_with("cannot write " + folder_ + "/stretto-made-")) << said;
  EXPECT_TRUE(said.ends_with(": File too large")) << said;
  EXPECT_EQ(count(), 0u);
}

}  // namespace
}  // namespace stretto
