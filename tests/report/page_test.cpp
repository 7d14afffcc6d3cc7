#include <gtest/gtest.h>
#include <stretto/report/page.h>

#include <nlohmann/json.hpp>
#include <string>

#include <stretto/base/error.h>

#include "report/hand_made_run.h"
#include "report/page_data.h"

namespace stretto::report {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(Page, HoldsTheRunInCompactArrays) {
  HandMadeRun made;
  made.add("a", "cpu:0 worker 1", 10, 14).line = "p.cpp:1";
  made.add("b", "sim:0 to host", 15, 16, {0}).role = Role::to_host;
  made.run.tasks[1].after.push_back({0, Hazard::reuse});
  made.run.tasks[0].submitted = made.run.tasks[1].submitted = 9'000;
  made.run.tasks[1].failed = "no room";
  made.run.tasks[1].is_estimated = true;
  made.add_wait("host read", 10, 16).task = 1;
  made.run.counters.push_back({"memory cpu:0", "bytes", {{11'000, 64}}});
  const nlohmann::json data = nlohmann::json::parse(page_data(made.run));
  EXPECT_EQ(data["total"], 7'000);
  EXPECT_EQ(data["start"], (nlohmann::json{1'000, 5'000}));
  EXPECT_EQ(data["duration"], (nlohmann::json{4'000, 1'000}));
  EXPECT_EQ(data["role"], (nlohmann::json{0, 1}));
  EXPECT_EQ(data["strings"][data["line"][0].get<int>()], "p.cpp:1");
  EXPECT_EQ(data["edges"], (nlohmann::json{0, 2}));
  EXPECT_EQ(data["from"], (nlohmann::json{1, 1}));
  EXPECT_EQ(data["hazards"], (nlohmann::json{0, 3}));
  // b waited 5 us for a, then 1 us to be launched.
  EXPECT_EQ(data["waited"], (nlohmann::json{0, 0, 1'000, 5'000, 0, 1'000}));
  EXPECT_EQ(data["waitedOn"], (nlohmann::json{0, 1}));
  EXPECT_EQ(data["failed"], (nlohmann::json{{"1", "no room"}}));
  EXPECT_EQ(data["estimated"], (nlohmann::json{1}));
  EXPECT_EQ(data["waits"][0]["task"], 1);
  EXPECT_EQ(data["counters"][0]["times"], (nlohmann::json{2'000}));
  EXPECT_EQ(data["path"].size(), 3u);
}

TEST(Page, TakesNothingOfTheRunForItself) {
  HandMadeRun made;
  made.add("</script><!-- {{data}} \" \\ \n \x01 \xff", "cpu:0 worker 1", 0, 1);
  made.run.command = "{{style}}</title>";
  const std::string page = to_page(made.run), plain = to_page(report::Run());
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script>"), count(plain, "</script>"));
  EXPECT_EQ(count(page, "<!--"), 0u);
  const nlohmann::json data = nlohmann::json::parse(page_data(made.run));
  EXPECT_EQ(data["strings"][0], "</script><!-- {{data}} \" \\ \n \x01 \xef\xbf\xbd");
}

TEST(Page, NeedsNoNetwork) {
  const std::string page = to_page(report::Run());
  for (const char* part : {"http:", "https:", "src=", "<link", "@import", "url("})
    EXPECT_EQ(count(page, part), 0u) << part;
}

TEST(Page, SaysThatItCannotBeWritten) {
  try {
    write_page(report::Run(), "/nowhere/page.html");
    FAIL();
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "cannot write /nowhere/page.html: No such file or directory");
  }
}

}  // namespace
}  // namespace stretto::report
