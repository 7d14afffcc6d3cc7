#include "trace/task_numbers.h"

#include <cstdint>
#include <random>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

constexpr std::size_t most = 8192;

/// Puts tasks and holds what is found against a table of all of them.
class Model {
 public:
  void put(TaskKey key) {
    newest_ += 1 + newest_ % 3;
    all_[key] = newest_;
    numbers_.put(key, newest_);
  }
  void check() const {
    for (const auto& [key, id] : all_) {
      const TaskId found = numbers_.find(key);
      if (id + most > newest_) {
        ASSERT_EQ(found, id);
      } else {
        ASSERT_TRUE(found == id || found == 0);
      }
    }
  }
  bool is_known(TaskKey key) const { return all_.contains(key); }
  const TaskNumbers& numbers() const { return numbers_; }

 private:
  TaskNumbers numbers_{most};
  std::unordered_map<TaskKey, TaskId> all_;
  TaskId newest_ = 0;
};

TEST(TaskNumbers, KnowsTasksOfSlotsThatAreUsedInTurn) {
  Model model;
  for (std::uint32_t generation = 1; generation < 40; ++generation)
    for (std::uint32_t slot = 1000; slot-- > 0;) model.put(key_of(slot, generation));
  model.check();
  EXPECT_EQ(model.numbers().find(key_of(5, 40)), 0u);
  EXPECT_EQ(model.numbers().find(key_of(5000, 3)), 0u);
}

TEST(TaskNumbers, KnowsTasksOfSlotsThatAreUsedAnyhow) {
  Model model;
  std::mt19937_64 random(7);
  std::vector<std::uint32_t> generations(100000, 0);
  for (int i = 0; i < 60000; ++i) {
    // A few again and again, and more and more of the others.
    const bool is_few = random() % 4 != 0;
    const auto slot = static_cast<std::uint32_t>(is_few ? random() % 3 : random() % (200 + static_cast<unsigned>(i)));
    generations[slot] += static_cast<std::uint32_t>(1 + random() % 2);
    model.put(key_of(slot, generations[slot]));
    if (i % 10000 == 0) model.check();
  }
  model.check();
}

TEST(TaskNumbers, KnowsNothingAtFirst) {
  const TaskNumbers numbers(most);
  EXPECT_EQ(numbers.find(key_of(0, 1)), 0u);
}

TEST(TaskNumbers, TellsNumbersThatNeedMoreThanHalfAWord) {
  TaskNumbers numbers(most);
  const TaskId first = (TaskId{1} << 32) - 2;
  for (std::uint32_t i = 0; i < 4; ++i) numbers.put(key_of(i, 1), first + i);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(numbers.find(key_of(i, 1)), first + i);
}

}  // namespace
}  // namespace stretto::trace
