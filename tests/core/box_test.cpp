#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>
#include <stretto/core/box.h>

#include "core/random_views.h"

namespace stretto {
namespace {

using Bytes = std::set<std::int64_t>;

Bytes bytes_of(const Geometry& g, std::int64_t item_size) {
  Bytes bytes;
  for (const std::int64_t offset : element_offsets(g)) {
    for (std::int64_t i = 0; i < item_size; ++i) bytes.insert(offset * item_size + i);
  }
  return bytes;
}

Bytes bytes_of(const Box& box) {
  Geometry g;
  for (const std::int64_t extent : box.extents()) g.shape.push_back(extent);
  for (const std::int64_t stride : box.strides()) g.strides.push_back(stride);
  g.offset = box.offset();
  Bytes bytes;
  for (const std::int64_t start : element_offsets(g)) {
    for (std::int64_t i = 0; i < box.run(); ++i) bytes.insert(start + i);
  }
  return bytes;
}

bool meet(const Bytes& a, const Bytes& b) {
  return std::any_of(a.begin(), a.end(), [&](std::int64_t byte) { return b.count(byte) > 0; });
}

bool includes(const Bytes& a, const Bytes& b) { return std::includes(a.begin(), a.end(), b.begin(), b.end()); }

const Geometry matrix = geometry::contiguous(Shape{8, 10});

Box tile(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
  const Geometry band = geometry::slice(matrix, 0, row, row + rows);
  return Box(geometry::slice(band, 1, column, column + columns), 4);
}

TEST(Box, NormalForm) {
  EXPECT_EQ(Box(matrix, 4), Box::whole(320));
  EXPECT_EQ(Box(geometry::transpose(matrix, 0, 1), 4), Box::whole(320));
  EXPECT_EQ(Box(geometry::slice(matrix, 1, std::nullopt, std::nullopt, -1), 4), Box::whole(320));
  EXPECT_EQ(Box(geometry::expand(matrix, {3, 8, 10}), 4), Box::whole(320));
  EXPECT_EQ(Box(geometry::contiguous(Shape{}), 8), Box::whole(8));
  const Box rows = tile(2, 3, 0, 10);
  EXPECT_EQ(rows.rank(), 0);
  EXPECT_EQ(rows.offset(), 80);
  EXPECT_EQ(rows.run(), 120);
  const Box part = tile(2, 3, 1, 4);
  EXPECT_EQ(to_string(part), "bytes 84..100 by (3 x 40)");
  EXPECT_EQ(part.end(), 180);
  EXPECT_EQ(to_string(rows), "bytes 80..200");
  // Every other column of rows of even length is every other element of one long row.
  EXPECT_EQ(to_string(Box(geometry::slice(matrix, 1, 0, 10, 2), 4)), "bytes 0..4 by (40 x 8)");
}

TEST(Box, Empty) {
  const Box empty(geometry::slice(matrix, 0, 3, 3), 4);
  EXPECT_TRUE(empty.empty());
  EXPECT_EQ(empty, Box());
  EXPECT_EQ(empty, Box::whole(0));
  EXPECT_FALSE(overlaps(empty, Box::whole(320)));
  EXPECT_FALSE(overlaps(empty, empty));
  EXPECT_TRUE(contains(Box::whole(320), empty));
  EXPECT_TRUE(contains(empty, empty));
  EXPECT_FALSE(contains(empty, Box::whole(1)));
  EXPECT_FALSE(Box::whole(1).empty());
}

TEST(Box, RowsColumnsAndTilesAreToldApart) {
  EXPECT_FALSE(overlaps(tile(0, 4, 0, 10), tile(4, 4, 0, 10)));
  EXPECT_TRUE(overlaps(tile(0, 5, 0, 10), tile(4, 4, 0, 10)));
  EXPECT_FALSE(overlaps(tile(0, 8, 0, 5), tile(0, 8, 5, 5)));
  EXPECT_TRUE(overlaps(tile(0, 8, 0, 6), tile(0, 8, 5, 5)));
  EXPECT_TRUE(overlaps(tile(0, 4, 0, 4), tile(3, 2, 3, 2)));  // one shared element
  EXPECT_FALSE(overlaps(tile(0, 4, 0, 4), tile(3, 2, 4, 2)));
  EXPECT_FALSE(overlaps(tile(2, 1, 0, 10), tile(3, 5, 2, 3)));
  EXPECT_TRUE(overlaps(tile(3, 1, 0, 10), tile(0, 8, 7, 1)));
  EXPECT_TRUE(contains(tile(1, 4, 2, 5), tile(2, 2, 3, 2)));
  EXPECT_FALSE(contains(tile(1, 4, 2, 5), tile(2, 2, 3, 5)));
}

TEST(Box, StepsAreToldApart) {
  const auto every = [](std::int64_t start, std::int64_t step) {
    return Box(geometry::slice(geometry::contiguous(Shape{1000}), 0, start, std::nullopt, step), 4);
  };
  EXPECT_FALSE(overlaps(every(0, 2), every(1, 2)));
  EXPECT_TRUE(overlaps(every(0, 2), every(2, 2)));
  EXPECT_FALSE(overlaps(every(0, 4), every(1, 2)));
  EXPECT_TRUE(overlaps(every(0, 2), every(1, 3)));
  EXPECT_TRUE(contains(every(0, 2), every(4, 6)));
  EXPECT_FALSE(contains(every(0, 2), every(4, 3)));
}

/// Tiles whose rows differ in length from those of the tensor that shares their storage.
TEST(Box, ViewsOfOtherShapesOverOneStorage) {
  const Box flat(geometry::slice(geometry::contiguous(Shape{80}), 0, 25, 35), 4);  // ends of rows 2 and 3
  EXPECT_TRUE(overlaps(flat, tile(2, 1, 5, 1)));
  EXPECT_FALSE(overlaps(flat, tile(2, 1, 0, 5)));
  EXPECT_TRUE(overlaps(flat, tile(0, 8, 4, 1)));
  const Geometry narrow = geometry::contiguous(Shape{20, 4});
  EXPECT_FALSE(overlaps(Box(geometry::slice(narrow, 1, 0, 1), 4), Box(geometry::slice(narrow, 1, 1, 4), 4)));
  EXPECT_TRUE(overlaps(Box(geometry::slice(narrow, 1, 0, 1), 4), tile(0, 8, 0, 1)));
}

TEST(Box, RandomViewsAgainstTheirBytes) {
  constexpr std::uint64_t seed = 20240612;
  RecordProperty("seed", std::to_string(seed));
  RandomViews random(seed);
  int apart = 0, apart_and_told = 0, inside = 0, inside_and_told = 0;
  for (int round = 0; round < 20000; ++round) {
    const Geometry base = random.contiguous(static_cast<int>(random.between(1, 4)), 5);
    const Geometry g = random.view(base), h = random.view(base);
    const std::int64_t item_size = std::int64_t{1} << random.between(0, 3);
    const Box a(g, static_cast<std::size_t>(item_size)), b(h, static_cast<std::size_t>(item_size));
    const Bytes a_bytes = bytes_of(g, item_size), b_bytes = bytes_of(h, item_size);
    const std::string what = describe(g) + " and " + describe(h) + ", item " + std::to_string(item_size) + ", seed " +
                             std::to_string(seed) + ", round " + std::to_string(round);

    ASSERT_EQ(bytes_of(a), a_bytes) << what;
    ASSERT_EQ(a.offset(), *a_bytes.begin()) << what;
    ASSERT_EQ(a.end(), *a_bytes.rbegin() + 1) << what;
    ASSERT_EQ(overlaps(a, b), overlaps(b, a)) << what;
    if (a == b) {
      ASSERT_EQ(a_bytes, b_bytes) << what;
    }
    if (meet(a_bytes, b_bytes)) {
      ASSERT_TRUE(overlaps(a, b)) << what;
    } else {
      ++apart;
      apart_and_told += !overlaps(a, b);
    }
    if (includes(a_bytes, b_bytes)) {
      ++inside;
      inside_and_told += contains(a, b);
    } else {
      ASSERT_FALSE(contains(a, b)) << what;
    }
  }
  // The search is exact until it gives up, and views this small never make it.
  EXPECT_EQ(apart_and_told, apart);
  EXPECT_GT(apart, 2000);
  EXPECT_GT(inside_and_told, inside * 9 / 10);
  EXPECT_GT(inside, 2000);
}

TEST(Box, SlicesOfOneTensorAreExact) {
  constexpr std::uint64_t seed = 20240613;
  RecordProperty("seed", std::to_string(seed));
  RandomViews random(seed);
  int apart = 0, inside = 0;
  for (int round = 0; round < 20000; ++round) {
    const Geometry base = random.contiguous(static_cast<int>(random.between(1, 4)), 6);
    const Geometry g = random.sliced(base, 1), h = random.sliced(base, 1);
    const Box a(g, 4), b(h, 4);
    const Bytes a_bytes = bytes_of(g, 4), b_bytes = bytes_of(h, 4);
    const std::string what = describe(g) + " and " + describe(h) + ", seed " + std::to_string(seed);
    ASSERT_EQ(overlaps(a, b), meet(a_bytes, b_bytes)) << what;
    ASSERT_EQ(contains(a, b), includes(a_bytes, b_bytes)) << what;
    ASSERT_EQ(a == b, a_bytes == b_bytes) << what;
    apart += !overlaps(a, b);
    inside += contains(a, b);
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(inside, 1000);
}

TEST(Box, TheSameElementsGiveTheSameBox) {
  constexpr std::uint64_t seed = 20240614;
  RecordProperty("seed", std::to_string(seed));
  RandomViews random(seed);
  for (int round = 0; round < 5000; ++round) {
    const Geometry g = random.sliced(random.contiguous(static_cast<int>(random.between(1, 4)), 5), 3);
    Geometry other = random.permuted(g);
    for (int i = 0; i < other.shape.rank(); ++i) {
      if (random.between(0, 1) == 0) other = geometry::slice(other, i, std::nullopt, std::nullopt, -1);
    }
    other = geometry::unsqueeze(other, random.between(0, other.shape.rank()));
    const Box a(g, 4), b(other, 4);
    ASSERT_EQ(a, b) << describe(g) << " and " << describe(other) << ", seed " << seed;
    ASSERT_EQ(a.hash(), b.hash());
  }
}

/// Large tensors: the search must stay exact where tiles are large, not only where they are small.
TEST(Box, TilingsOfLargeTensors) {
  const Geometry large = geometry::contiguous(Shape{64, 1000, 900, 800});
  const auto piece = [&](std::int64_t parts, const IndexList& at, std::int64_t wider = 0) {
    Geometry g = large;
    for (int i = 0; i < 4; ++i) {
      const std::int64_t size = large.shape[i] / parts;
      g = geometry::slice(g, i, at[i] * size, (at[i] + 1) * size + wider);
    }
    return Box(g, 2);
  };
  for (int first = 0; first < 16; ++first) {
    const IndexList p{first & 1, first >> 1 & 1, first >> 2 & 1, first >> 3 & 1};
    for (int second = 0; second < 16; ++second) {
      const IndexList q{second & 1, second >> 1 & 1, second >> 2 & 1, second >> 3 & 1};
      EXPECT_EQ(overlaps(piece(2, p), piece(2, q)), first == second);
      EXPECT_EQ(contains(piece(2, p), piece(2, q)), first == second);
      EXPECT_EQ(overlaps(piece(2, p, 1), piece(2, q)), (first & ~second) == 0);
    }
  }
}

/// Every second row against every third, in a tensor of many rows: too many pairs of rows to look at one by one.
TEST(Box, MixedStepsOverManyRows) {
  const Geometry large = geometry::contiguous(Shape{3000001, 100001});
  const auto part = [&](std::int64_t row_step, std::int64_t column, std::int64_t column_step) {
    const Geometry rows = geometry::slice(large, 0, 0, std::nullopt, row_step);
    return Box(geometry::slice(rows, 1, column, column + 50, column_step), 4);
  };
  EXPECT_FALSE(overlaps(part(2, 0, 1), part(3, 50, 1)));
  EXPECT_FALSE(overlaps(part(2, 0, 2), part(2, 1, 2)));
  EXPECT_TRUE(overlaps(part(2, 0, 1), part(3, 49, 1)));
  // Here no byte is shared, but only a search of every pair would tell: it gives up and says yes.
  EXPECT_TRUE(overlaps(part(2, 0, 2), part(3, 1, 2)));
}

TEST(Box, HashesOfATilingDiffer) {
  std::unordered_map<std::uint64_t, Box> boxes;
  for (std::int64_t row = 0; row < 8; ++row) {
    for (std::int64_t column = 0; column < 10; ++column) {
      for (std::int64_t size = 1; size <= 8 - row && size <= 10 - column; ++size) {
        const Box box = tile(row, size, column, size);
        EXPECT_TRUE(boxes.emplace(box.hash(), box).second) << to_string(box);
      }
    }
  }
}

}  // namespace
}  // namespace stretto
