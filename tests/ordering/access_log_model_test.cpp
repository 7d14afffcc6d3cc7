// Random accesses: what the log says is compared with a model that knows every byte.

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "ordering/access_log.h"
#include "ordering/box_log.h"
#include "ordering/ordering_model.h"

namespace stretto {
namespace {

constexpr int rows = 12, columns = 12, size = rows * columns;

using Random = std::mt19937;

int draw(Random& random, int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

/// The bytes that a box touches, in a storage of `size` bytes.
std::vector<std::size_t> bytes_of(const Box& box) {
  std::vector<std::size_t> found;
  std::vector<std::int64_t> index(box.extents().size());
  while (!box.empty()) {
    std::int64_t begin = box.offset();
    for (std::size_t i = 0; i < index.size(); ++i) begin += index[i] * box.strides()[i];
    for (std::int64_t i = 0; i < box.run(); ++i) found.push_back(static_cast<std::size_t>(begin + i));
    std::size_t axis = 0;
    while (axis < index.size() && ++index[axis] == box.extents()[axis]) index[axis++] = 0;
    if (axis == index.size()) break;
  }
  return found;
}

enum class Boxes { tiles, rectangles, strided };

Box draw_box(Random& random, Boxes kind) {
  if (kind == Boxes::tiles) {
    const int row = 4 * draw(random, 0, 2), column = 4 * draw(random, 0, 2);
    return Box(row * columns + column, 1, Shape{4, 4}, Strides{columns, 1});
  }
  const int row = draw(random, 0, rows - 1), column = draw(random, 0, columns - 1);
  const int row_step = kind == Boxes::strided ? draw(random, 1, 3) : 1;
  const int column_step = kind == Boxes::strided ? draw(random, 1, 3) : 1;
  const int height = draw(random, 1, (rows - 1 - row) / row_step + 1);
  const int width = draw(random, 1, (columns - 1 - column) / column_step + 1);
  return Box(row * columns + column, 1, Shape{height, width}, Strides{row_step * columns, column_step});
}

AccessMode draw_mode(Random& random) { return static_cast<AccessMode>(draw(random, 1, 3)); }

std::string list(const std::set<std::uint32_t>& slots) {
  std::string text;
  for (const std::uint32_t slot : slots) text += (text.empty() ? "" : ", ") + std::to_string(slot);
  return "{" + text + "}";
}

/// What a task ends with: the earliest of the failures that it reads, or its own.
std::uint64_t failure_of(const FakeSink& sink, std::uint32_t slot, bool fails) {
  const FakeSink::Task& task = sink.task(slot);
  std::set<std::uint64_t> failures = task.failures;
  for (const std::uint32_t before : task.values_from)
    if (sink.task(before).failed != 0) failures.insert(sink.task(before).failed);
  if (!failures.empty()) return *failures.begin();
  return fails ? slot + 1 : 0;
}

struct Program {
  Boxes boxes = Boxes::rectangles;
  int tasks = 120;
  int most_accesses = 3;
  double whole = 0.1;   ///< Part of the accesses that take the whole storage.
  double finish = 0.8;  ///< Tasks that finish for each that is submitted, about.
  double fail = 0.1;    ///< Part of the tasks that fail.
};

/// Runs one random program and checks each task as it is recorded.
void check(const Program& program, std::uint32_t seed) {
  Random random(seed);
  const auto happens = [&](double part) { return std::uniform_real_distribution<>()(random) < part; };
  AccessLog log;
  FakeSink sink(&log);
  ByteModel model(size);

  for (int submitted = 0; submitted < program.tasks; ++submitted) {
    const TaskReference task = sink.begin();
    const int accesses = draw(random, 1, program.most_accesses);
    std::vector<std::size_t> everything(size);
    for (std::size_t i = 0; i < size; ++i) everything[i] = i;
    // Reads first, as the recorder does: what a task writes itself is no value that it reads.
    std::vector<std::pair<AccessMode, std::optional<Box>>> chosen;
    for (int i = 0; i < accesses; ++i) {
      const AccessMode mode = draw_mode(random);
      chosen.emplace_back(mode, happens(program.whole) ? std::optional<Box>() : draw_box(random, program.boxes));
    }
    std::ranges::stable_partition(chosen, [](const auto& access) { return access.first == AccessMode::read; });
    for (const auto& [mode, box] : chosen) {
      log.access(box ? &*box : nullptr, mode, task, sink);
      model.access(box ? bytes_of(*box) : everything, mode, task.slot);
    }

    const std::string where = "seed " + std::to_string(seed) + ", task " + std::to_string(task.slot);
    const std::set<std::uint32_t> before = sink.all_before(task.slot);
    ASSERT_FALSE(before.contains(task.slot)) << where << " comes after itself";
    for (const std::uint32_t needed : model.must_follow(task.slot))
      ASSERT_TRUE(sink.task(needed).finished || before.contains(needed))
          << where << " does not come after " << needed << " but after " << list(before);
    const std::set<std::uint32_t> values = sink.all_values(task.slot);
    std::set<std::uint64_t> expected_failures;
    for (const std::uint32_t needed : model.must_get_values_of(task.slot)) {
      if (!sink.task(needed).finished) {
        ASSERT_TRUE(values.contains(needed)) << where << " does not get the value of " << needed;
      } else if (sink.task(needed).failed != 0) {
        expected_failures.insert(sink.task(needed).failed);
      }
    }
    const std::set<std::uint64_t>& failures = sink.task(task.slot).failures;
    if (!expected_failures.empty()) {
      // Only the earliest counts: it is what the task ends with.
      ASSERT_FALSE(failures.empty()) << where << " does not read the failure " << *expected_failures.begin();
      ASSERT_LE(*failures.begin(), *expected_failures.begin()) << where;
    }
    if (program.boxes == Boxes::tiles && program.whole == 0) {
      // Boxes that are equal or apart: the log is exact.
      ASSERT_EQ(failures, expected_failures) << where;
      for (const std::uint32_t other : values)
        ASSERT_TRUE(model.must_get_values_of(task.slot).contains(other)) << where << " gets the value of " << other;
      for (const std::uint32_t other : sink.task(task.slot).after)
        ASSERT_TRUE(sink.task(other).joined || model.must_follow(task.slot).contains(other))
            << where << " comes after " << other << " for nothing";
    }

    while (happens(program.finish)) {
      std::vector<std::uint32_t> ready;
      for (std::uint32_t slot = 0; slot < sink.count(); ++slot)
        if (sink.may_finish(slot)) ready.push_back(slot);
      if (ready.empty()) break;
      const std::uint32_t one = ready[static_cast<std::size_t>(draw(random, 0, static_cast<int>(ready.size()) - 1))];
      sink.finish(one, failure_of(sink, one, happens(program.fail)));
    }
  }
}

void check_many(const Program& program, std::uint32_t programs) {
  for (std::uint32_t seed = 1; seed <= programs && !testing::Test::HasFatalFailure(); ++seed) check(program, seed);
}

TEST(AccessLogModel, Tiles) { check_many({.boxes = Boxes::tiles, .whole = 0}, 60); }
TEST(AccessLogModel, TilesOfOneTask) { check_many({.boxes = Boxes::tiles, .most_accesses = 1, .whole = 0}, 60); }
TEST(AccessLogModel, TilesAndTheWhole) { check_many({.boxes = Boxes::tiles}, 60); }
TEST(AccessLogModel, Rectangles) { check_many({}, 60); }
TEST(AccessLogModel, StridedBoxes) { check_many({.boxes = Boxes::strided}, 60); }
TEST(AccessLogModel, WholeStorages) { check_many({.whole = 1}, 60); }
TEST(AccessLogModel, ManyPendingTasks) { check_many({.tasks = 200, .finish = 0.2}, 15); }
TEST(AccessLogModel, NothingEverFinishes) {
  check_many({.boxes = Boxes::strided, .tasks = 250, .whole = 0, .finish = 0}, 4);
}
TEST(AccessLogModel, NearlyOnlyFailures) { check_many({.fail = 0.9}, 40); }

}  // namespace
}  // namespace stretto
