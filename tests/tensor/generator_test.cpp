#include <memory>
#include <mutex>
#include <set>

#include "tensor/testing.h"

namespace stretto {
namespace {

using Draws = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Draws draw(Generator& generator, int count) {
  Draws draws;
  for (int i = 0; i < count; ++i) {
    const RandomDraw draw = generator.next();
    draws.emplace_back(draw.key, draw.number);
  }
  return draws;
}

/// What `tasks` tasks, two draws each, draw on this device.
Draws drawn_in_tasks(Device device, int tasks) {
  const auto draws = std::make_shared<Draws>(static_cast<std::size_t>(2 * tasks));
  for (int i = 0; i < tasks; ++i) {
    task("draw", device).run([draws, i](TaskContext&) {
      for (int k = 0; k < 2; ++k) {
        const RandomDraw draw = default_generator().next();
        (*draws)[static_cast<std::size_t>(2 * i + k)] = {draw.key, draw.number};
      }
    });
  }
  wait_all();
  return *draws;
}

TEST(Generator, EqualSeedsDrawEqually) {
  Generator a(5), b(5);
  EXPECT_EQ(draw(a, 3), draw(b, 3));
  EXPECT_NE(draw(a, 1), (Draws{{5, 0}}));
  a.manual_seed(5);
  EXPECT_EQ(draw(a, 2), (Draws{{5, 0}, {5, 1}}));
}

TEST(Generator, TheFirstThreadDrawsFromTheSeedItself) {
  default_generator().next();
  manual_seed(9);
  EXPECT_EQ(draw(default_generator(), 2), (Draws{{9, 0}, {9, 1}}));
}

TEST(Generator, EveryThreadHasItsOwn) {
  manual_seed(9);
  std::set<std::uint64_t> keys{default_generator().next().key};
  std::uint64_t other = 0, same_thread = 0;
  std::thread([&] {
    other = default_generator().next().key;
    same_thread = default_generator().next().key;
    manual_seed(10);
    EXPECT_NE(default_generator().next().key, other);
    manual_seed(9);
    EXPECT_EQ(default_generator().next().key, other);
  }).join();
  EXPECT_NE(other, 9u);
  EXPECT_EQ(other, same_thread);
}

TEST(Generator, TasksDrawTheSameWhereverAndWheneverTheyRun) {
  manual_seed(3);
  const Draws first = drawn_in_tasks(cpu(0), 200);
  manual_seed(3);
  EXPECT_EQ(drawn_in_tasks(cpu(1), 200), first);
  manual_seed(3);
  EXPECT_EQ(drawn_in_tasks(sim(0), 200), first);
  EXPECT_NE(drawn_in_tasks(cpu(0), 200), first);
  std::set<std::uint64_t> keys;
  for (const auto& [key, number] : first) keys.insert(key);
  EXPECT_EQ(keys.size(), 200u);
  EXPECT_EQ(first[1].second, 1u);
}

TEST(Generator, TasksInsideTasksDrawTheSameToo) {
  const auto run = [] {
    manual_seed(4);
    const auto keys = std::make_shared<std::array<std::uint64_t, 8>>();
    for (std::size_t i = 0; i < 4; ++i) {
      task("outer", cpu()).run([keys, i](TaskContext&) {
        for (std::size_t k = 0; k < 2; ++k)
          task("inner", cpu(1)).run([keys, i, k](TaskContext&) {
            (*keys)[2 * i + k] = default_generator().next().key;
          });
      });
    }
    wait_all();
    wait_all();
    return *keys;
  };
  const auto first = run();
  EXPECT_EQ(run(), first);
  EXPECT_EQ(std::set<std::uint64_t>(first.begin(), first.end()).size(), 8u);
}

TEST(Generator, ATaskKeepsTheSeedItWasSubmittedUnder) {
  manual_seed(3);
  const Draws first = drawn_in_tasks(cpu(), 1);
  manual_seed(3);
  const auto key = std::make_shared<std::uint64_t>();
  const Tensor gate = slowly_filled({1}, 0, cpu(), 5);
  task("draw", cpu()).read_write(gate).run([key](TaskContext&) { *key = default_generator().next().key; });
  manual_seed(77);
  wait_all();
  EXPECT_NE(*key, 0u);
  manual_seed(3);
  drawn_in_tasks(cpu(), 1);
  EXPECT_EQ(drawn_in_tasks(cpu(), 1)[0].first, *key);
}

}  // namespace
}  // namespace stretto
