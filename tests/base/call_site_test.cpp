#include <stretto/base/call_site.h>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace stretto {
namespace {

static_assert(std::is_trivially_copyable_v<CallSite>);
static_assert(std::is_convertible_v<std::source_location, CallSite>);

CallSite called_from(CallSite site = std::source_location::current()) { return site; }

TEST(CallSite, DefaultArgumentNamesTheCallersLine) {
  const CallSite site = called_from();
  const unsigned line = __LINE__ - 1;
  EXPECT_EQ(site.line, line);
  EXPECT_EQ(to_string(site), "call_site_test.cpp:" + std::to_string(line));
  EXPECT_NE(std::string(site.function).find("TestBody"), std::string::npos);
}

TEST(CallSite, CurrentNamesItsOwnLine) { EXPECT_EQ(CallSite::current().line, static_cast<unsigned>(__LINE__)); }

TEST(CallSite, UnknownPlaceIsEmpty) {
  EXPECT_FALSE(CallSite().known());
  EXPECT_EQ(to_string(CallSite()), "");
}

TEST(CallSite, TextHasTheFileNameOnly) {
  EXPECT_EQ(to_string(CallSite("/a/b/c.cpp", "f", 12)), "c.cpp:12");
  EXPECT_EQ(to_string(CallSite("c.cpp", "f", 12)), "c.cpp:12");
}

}  // namespace
}  // namespace stretto
