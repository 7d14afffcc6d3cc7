#include "base/fork.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "base/mutex.h"

namespace stretto {
namespace {

TEST(Fork, AChildFindsNoLockHeldByAThreadOfItsParent) {
  static Mutex mutex;
  hold_across_fork(mutex);
  std::atomic<bool> over{false};
  std::thread busy([&] {
    while (!over) const MutexLock lock(mutex);
  });
  for (int round = 0; round < 100; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      const MutexLock lock(mutex);
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round;
  }
  over = true;
  busy.join();
}

}  // namespace
}  // namespace stretto
