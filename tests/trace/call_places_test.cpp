#include "trace/call_places.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace stretto::trace {
namespace {

TEST(CallPlaces, KnowWhatWasSaidLastOfEach) {
  const auto places = std::make_unique<CallPlaces>();
  const std::vector<std::uint64_t> call{1, 2, 3}, longer{1, 2, 3, 0}, other{1, 2, 4};
  const std::uint32_t place = CallPlaces::place_of(call);
  EXPECT_EQ(CallPlaces::place_of(call), place);
  EXPECT_FALSE(places->has(place, call));
  places->put(place, call);
  EXPECT_TRUE(places->has(place, call));
  EXPECT_FALSE(places->has(place, longer));
  EXPECT_FALSE(places->has(place, other));
  places->put(place, other);
  EXPECT_FALSE(places->has(place, call));
  EXPECT_TRUE(places->has(place, other));
  places->clear();
  EXPECT_FALSE(places->has(place, other));
}

TEST(CallPlaces, KeepNoCallOfManyWords) {
  const auto places = std::make_unique<CallPlaces>();
  std::vector<std::uint64_t> call(CallPlaces::most_words, 7);
  places->put(3, call);
  EXPECT_TRUE(places->has(3, call));
  call.push_back(7);
  places->put(3, call);
  EXPECT_FALSE(places->has(3, call));
}

}  // namespace
}  // namespace stretto::trace
