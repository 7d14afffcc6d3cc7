#include "engine/ready_tasks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace stretto {
namespace {

TEST(ReadyTasks, ComeOutFirstThingsFirstWhateverTheirOrderWas) {
  std::mt19937 random(1);
  ReadyTasks ready;
  std::set<ReadyTask> expected;
  std::uint64_t last = 0;
  for (int step = 0; step < 20000; ++step) {
    ASSERT_EQ(ready.empty(), expected.empty());
    if (expected.empty() || random() % 100 < 52) {
      // Mostly in order, now and then an earlier one, a copy to the host, or an urgent one.
      const std::uint64_t sequence = random() % 8 == 0 && last > 100 ? 2 * (last - random() % 100) + 1 : 2 * ++last;
      const ReadyTask task{random() % 50 == 0 ? Priority::high : Priority::normal, random() % 30 != 0, sequence,
                           nullptr};
      if (expected.insert(task).second) ready.push(task);
    } else {
      ASSERT_EQ(ready.top().sequence, expected.begin()->sequence) << "step " << step;
      ASSERT_EQ(ready.top().priority, expected.begin()->priority);
      ready.pop();
      expected.erase(expected.begin());
    }
  }
}

}  // namespace
}  // namespace stretto
