#pragma once

#include <string>
#include <vector>

/// What a run of the command left.
struct CommandResult {
  int exit_code;
  std::string output;  ///< Of standard output.
  std::string errors;  ///< Of standard error.
};

/// Runs the command with these arguments, in an environment without STRETTO_ variables but those given as NAME=VALUE,
/// and with no terminal; it reads the file `input`. Whatever GPUs the machine has, the command has none unless
/// `environment` gives it some: what it lists, splits and measures is then the same everywhere. The shell that starts
/// it does `before` first, as in "ulimit -t 9;". Blocks until it has ended.
CommandResult run_command(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {},
                          const std::string& input = "/dev/null", const std::string& before = "");

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A folder that is gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  std::string path(const std::string& name = "") const;
  /// Writes the four files of a data set like Fashion-MNIST, with so many images that are easy to tell apart.
  void write_data_set(int train_images, int test_images) const;

 private:
  std::string path_;
};
