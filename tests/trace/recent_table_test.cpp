#include "trace/recent_table.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <unordered_map>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

TEST(RecentTable, KeepsWhatWasMetLast) {
  constexpr std::size_t most = 8192;
  RecentTable<std::unique_ptr<std::uint64_t>> table(most);
  std::unordered_map<std::uint64_t, std::uint64_t> model;
  std::deque<std::uint64_t> order;
  std::mt19937_64 random(7);
  std::uint64_t forgotten = 0, expected = 0;
  for (std::uint64_t i = 0; i < 60000; ++i) {
    // Tasks as they are: slots in turn, of one generation behind the other, and others in between.
    const std::uint64_t key = i % 5 == 0 ? random() % 100000 + 1 : (i / 3000 + 1) << 22 | i % 3000;
    auto& value = table.get(key, [&](const std::unique_ptr<std::uint64_t>& oldest) { forgotten += *oldest; });
    if (const auto known = model.find(key); known != model.end()) {
      ASSERT_NE(value, nullptr);
      ASSERT_EQ(*value, known->second);
      continue;
    }
    ASSERT_EQ(value, nullptr);
    value = std::make_unique<std::uint64_t>(i);
    model[key] = i;
    order.push_back(key);
    if (order.size() <= most) continue;
    const auto oldest = model.find(order.front());
    order.pop_front();
    expected += oldest->second;
    ASSERT_EQ(table.find(oldest->first), nullptr);
    model.erase(oldest);
  }
  EXPECT_EQ(forgotten, expected);
  for (const auto& [key, value] : model) {
    ASSERT_NE(table.find(key), nullptr);
    EXPECT_EQ(**table.find(key), value);
  }
}

TEST(RecentTable, IsEmptyAtFirstAndLeavesValuesInPlace) {
  RecentTable<int> table(4096);
  EXPECT_EQ(table.find(1), nullptr);
  int& first = table.get(1, [](int) {});
  first = 5;
  for (std::uint64_t key = 2; key <= 4096; ++key) table.get(key, [](int) { FAIL() << "there is room"; });
  EXPECT_EQ(&first, table.find(1));
  EXPECT_EQ(first, 5);
  int forgotten = 0;
  EXPECT_EQ(table.get(5000, [&](int value) { forgotten = value; }), 0);
  EXPECT_EQ(forgotten, 5);
  EXPECT_EQ(table.find(1), nullptr);
}

}  // namespace
}  // namespace stretto::trace
