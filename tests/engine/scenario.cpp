#include "engine/scenario.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

extern char** environ;

namespace stretto {
namespace {

std::map<std::string, int (*)()>& scenarios() {
  static std::map<std::string, int (*)()> known;
  return known;
}

}  // namespace

Scenario::Scenario(const char* name, int (*play)()) { scenarios()[name] = play; }

int play_scenario(const char* name) {
  const auto found = scenarios().find(name);
  if (found == scenarios().end()) {
    std::fprintf(stderr, "there is no scenario %s\n", name);
    return 99;
  }
  return found->second();
}

Ended run_scenario(const std::string& name, const Variables& variables, double limit) {
  std::vector<std::string> environment{"ENGINE_TEST_SCENARIO=" + name};
  for (const auto& [variable, value] : variables) environment.push_back(variable + "=" + value);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view given = text.substr(0, text.find('='));
    bool replaced = given == "ENGINE_TEST_SCENARIO";
    for (const auto& [own, value] : variables) replaced |= own == given;
    if (!replaced) environment.emplace_back(text);
  }
  std::vector<char*> pointers;
  for (std::string& variable : environment) pointers.push_back(variable.data());
  pointers.push_back(nullptr);

  Ended ended;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return ended;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  char program[] = "/proc/self/exe";
  char* arguments[] = {program, nullptr};
  pid_t process = -1;
  const int failed = posix_spawn(&process, program, &actions, nullptr, arguments, pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failed != 0) return ended;

  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  bool killed = false;
  char text[4096];
  while (true) {
    pollfd waiting{ends[0], POLLIN, 0};
    if (poll(&waiting, 1, 50) > 0) {
      const ssize_t count = ::read(ends[0], text, sizeof text);
      if (count <= 0) break;
      ended.output.append(text, static_cast<std::size_t>(count));
    } else if (elapsed() > limit) {
      killed = true;
      kill(process, SIGKILL);
      break;
    }
  }
  close(ends[0]);
  int status = 0;
  waitpid(process, &status, 0);
  ended.seconds = elapsed();
  ended.code = killed ? 256 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

}  // namespace stretto
