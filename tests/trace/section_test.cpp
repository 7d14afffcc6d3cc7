#include <stretto/trace/section.h>

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "trace/section_path.h"

namespace stretto::trace {
namespace {

std::string path() { return std::string(SectionPath::own().text()); }

TEST(Section, Nests) {
  EXPECT_EQ(path(), "");
  {
    const Section outer("layer1");
    EXPECT_EQ(path(), "layer1");
    const std::uint64_t version = SectionPath::own().version();
    {
      const Section inner(std::string("forward"));
      EXPECT_EQ(path(), "layer1/forward");
    }
    EXPECT_EQ(path(), "layer1");
    EXPECT_NE(SectionPath::own().version(), version);
    std::thread([] { EXPECT_EQ(path(), ""); }).join();
  }
  EXPECT_EQ(path(), "");
}

TEST(Section, IsCutOffWhereThePathBecomesTooLong) {
  const std::string name(300, 'n');
  const Section first(name);
  {
    const Section second(name), third(name);
    EXPECT_EQ(path().substr(0, 302), name + "/n");
    EXPECT_EQ(path().size(), 500u);
  }
  EXPECT_EQ(path(), name);
}

}  // namespace
}  // namespace stretto::trace
