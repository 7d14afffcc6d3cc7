#include "cli/trace_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <stretto/base/error.h>

#include "cli/terminal.h"

namespace stretto::cli {
namespace {

struct RunArguments {
  std::string file;
  std::vector<std::string> command;
};

/// Makes the file, or empties it: what is wrong with it is said before the program does anything.
void prepare(const std::string& file) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw UsageError(fmt::format("cannot write the timeline to {}: {}", file, std::strerror(errno)));
  close(descriptor);
}

/// The program's exit code, or 128 and the signal that ended it.
int run_program(const std::vector<std::string>& command) {
  std::vector<std::string> texts = command;
  std::vector<char*> words;
  for (std::string& text : texts) words.push_back(text.data());
  words.push_back(nullptr);
  // Ctrl-C is the program's affair: this process waits for what it makes of it.
  signal(SIGINT, SIG_IGN);
  signal(SIGQUIT, SIG_IGN);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t process = -1;
  const int error = posix_spawnp(&process, words.front(), nullptr, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) throw UsageError(fmt::format("cannot run {}: {}", command.front(), std::strerror(error)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int record(const RunArguments& arguments) {
  const std::filesystem::path program(arguments.command.front());
  const std::string file = arguments.file.empty() ? program.filename().string() + ".trace.json" : arguments.file;
  prepare(file);
  // The program may go to another folder before it begins to compute.
  setenv("STRETTO_TRACE", std::filesystem::absolute(file).c_str(), 1);
  const auto is_empty = [&] {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && std::filesystem::file_size(file, ignored) == 0;
  };
  int code = success;
  try {
    code = run_program(arguments.command);
  } catch (const UsageError&) {
    if (is_empty()) std::filesystem::remove(file);
    throw;
  }
  std::fflush(stdout);
  if (is_empty()) {
    std::filesystem::remove(file);
    fmt::print(stderr, "stretto: {} recorded nothing: it does not use Stretto, or no task of it\n",
               program.filename().string());
  } else {
    fmt::print(stderr, "stretto: the timeline is in {}; stretto trace summary {} tells of it\n", file, file);
  }
  return code;
}

}  // namespace

void add_trace_run(CLI::App& trace, Action& action) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* verb = trace.add_subcommand("run", "Run a program and record its timeline: run -o FILE -- PROGRAM ...");
  verb->add_option("-o,--output", arguments->file, "Write the timeline to this file (PROGRAM.trace.json by default)")
      ->type_name("FILE");
  verb->add_option("program", arguments->command, "The program and its arguments")->required()->type_name("PROGRAM");
  verb->callback([arguments, &action] { action = [arguments] { return record(*arguments); }; });
}

}  // namespace stretto::cli
