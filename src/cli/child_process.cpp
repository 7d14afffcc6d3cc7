#include "cli/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <stretto/base/error.h>

namespace stretto::cli {
namespace {

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  // Closed on exec, so that no child holds the pipe of another open.
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  return ends;
}

std::vector<std::string> environment_with(const ChildProcess::Variables& variables) {
  std::vector<std::string> assignments;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view assignment = *entry;
    const std::string_view name = assignment.substr(0, assignment.find('='));
    bool replaced = false;
    for (const auto& variable : variables) replaced |= variable.first == name;
    if (!replaced) assignments.emplace_back(assignment);
  }
  for (const auto& [name, value] : variables) assignments.push_back(name + "=" + value);
  return assignments;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const Variables& variables)
    : name_(std::filesystem::path(arguments.front()).filename().string()) {
  // A child that ends early is an error of write_line, not the end of this process.
  signal(SIGPIPE, SIG_IGN);
  const auto [child_reads, we_write] = make_pipe();
  const auto [we_read, child_writes] = make_pipe();
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> assignments = environment_with(variables);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_reads, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_writes, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&process_, arguments.front().c_str(), &actions, &attributes,
                                pointers(argument_texts).data(), pointers(assignments).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(child_reads);
  close(child_writes);
  input_ = fdopen(we_write, "w");
  output_ = fdopen(we_read, "r");
  if (error != 0) {
    std::fclose(input_);
    std::fclose(output_);
    throw Error(fmt::format("cannot start {}: {}", arguments.front(), std::strerror(error)));
  }
}

ChildProcess::~ChildProcess() {
  wait();
  std::fclose(output_);
}

void ChildProcess::write_line(const std::string& line) {
  if (std::fputs((line + "\n").c_str(), input_) < 0 || std::fflush(input_) != 0) {
    throw Error(fmt::format("{} has gone away", name_));
  }
}

std::optional<std::string> ChildProcess::read_line() {
  char* text = nullptr;
  std::size_t capacity = 0;
  ssize_t length = getline(&text, &capacity, output_);
  std::optional<std::string> line;
  if (length > 0) {
    if (text[length - 1] == '\n') --length;
    line.emplace(text, static_cast<std::size_t>(length));
  }
  std::free(text);
  return line;
}

bool ChildProcess::has_line(double seconds) {
  pollfd output{fileno(output_), POLLIN, 0};
  // In short looks, of which each counts as long as it was to take: while the machine sleeps, or somebody has stopped
  // both programs, the other one cannot get on, either.
  constexpr double look = 0.1;
  for (double waited = 0; waited < seconds; waited += look) {
    const int ready = poll(&output, 1, static_cast<int>(look * 1000));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

void ChildProcess::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

int ChildProcess::wait() {
  if (input_ != nullptr) std::fclose(std::exchange(input_, nullptr));
  if (process_ < 0) return 0;
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace stretto::cli
