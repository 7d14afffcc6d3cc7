#pragma once

#include <sys/types.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stretto::cli {

/// The file of the running program.
std::string own_program();

/// Another program, with pipes to its standard input and from its standard output; its standard error is ours. When it
/// goes out of scope its input ends and it is waited for.
class ChildProcess {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  /// `arguments[0]` is the file. `variables` are added to the environment. Throws Error when it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& arguments, const Variables& variables = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  /// Throws Error when the program has gone away.
  void write_line(const std::string& line);
  /// The next line without its end; blocks until there is one. Empty when the program has closed its output.
  std::optional<std::string> read_line();
  /// Blocks until `read_line` has something to say, for so many seconds at most; whether it has. Only for programs that
  /// write one line for each that they are sent.
  bool has_line(double seconds);
  /// Ends it at once; `wait` tells of it.
  void kill();
  /// Ends its input and blocks until it has ended. Its exit code, or 128 and the signal that killed it.
  int wait();

 private:
  std::string name_;
  pid_t process_ = -1;
  std::FILE* input_ = nullptr;
  std::FILE* output_ = nullptr;
};

}  // namespace stretto::cli
