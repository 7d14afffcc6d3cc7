#include "engine/segment_plan.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "engine/template.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// A template whose nodes read and write some of a few buffers.
std::shared_ptr<const Template> make_template(const std::vector<std::vector<Access>>& tasks) {
  Capture capture({});
  for (const std::vector<Access>& accesses : tasks) submit(sim0, accesses, [](BodyContext&) {});
  capture.close();
  wait_all();
  return Template::make(capture.take(), {});
}

/// Whether a node is known to be done when another begins: by its stream's order and by waits.
class Order {
 public:
  explicit Order(const SegmentPlan& plan) : before_(plan.steps.size(), std::vector<bool>(plan.steps.size())) {
    std::vector<std::int64_t> tails(plan.steps.size(), -1);
    for (std::uint32_t node = 0; node < plan.steps.size(); ++node) {
      const SegmentPlan::Step& step = plan.steps[node];
      if (tails[step.stream] >= 0) add(static_cast<std::uint32_t>(tails[step.stream]), node);
      for (const std::uint32_t waited : plan.waits(step)) add(waited, node);
      tails[step.stream] = node;
    }
  }
  bool precedes(std::uint32_t earlier, std::uint32_t node) const { return before_[node][earlier]; }

 private:
  void add(std::uint32_t earlier, std::uint32_t node) {
    before_[node][earlier] = true;
    for (std::uint32_t one = 0; one < earlier; ++one)
      if (before_[earlier][one]) before_[node][one] = true;
  }

  std::vector<std::vector<bool>> before_;
};

class Plans : public testing::Test {
 protected:
  void SetUp() override {
    if (serial_engine()) GTEST_SKIP() << "the serial engine has no replays";
  }
};

TEST_F(Plans, ChainsHaveAStreamEachAndWaitForNobody) {
  std::vector<Array<>> chains;
  for (int i = 0; i < 3; ++i) chains.emplace_back(1, sim0);
  std::vector<std::vector<Access>> tasks;
  for (int i = 0; i < 12; ++i) tasks.push_back({read_write(chains[static_cast<std::size_t>(i % 3)])});
  const SegmentPlan plan = SegmentPlan::make(*make_template(tasks), 4);
  EXPECT_EQ(plan.last_nodes, (std::vector<std::uint32_t>{9, 10, 11}));
  EXPECT_TRUE(plan.waited_for.empty());
}

TEST_F(Plans, OneStreamNeedsNoWait) {
  const Array<> x(1, sim0), y(1, sim0), z(1, sim0);
  const auto made = make_template({{write(x)}, {write(y)}, {read(x), read(y), write(z)}});
  const SegmentPlan plan = SegmentPlan::make(*made, 1);
  EXPECT_EQ(plan.last_nodes, std::vector<std::uint32_t>{2});
  EXPECT_TRUE(plan.waited_for.empty());
}

TEST_F(Plans, AWaitIsNotRepeated) {
  const Array<> x(1, sim0), y(1, sim0), a(1, sim0), b(1, sim0);
  // The third goes on in x's stream and waits for y; those behind it need not.
  const auto made =
      make_template({{write(x)}, {write(y)}, {read_write(y), read(x)}, {read_write(y), read(x)}, {read_write(x)}});
  const SegmentPlan plan = SegmentPlan::make(*made, 4);
  EXPECT_EQ(plan.waits(plan.steps[2]).size(), 1u);
  EXPECT_EQ(plan.waits(plan.steps[3]).size(), 0u);
  EXPECT_EQ(plan.waits(plan.steps[4]).size(), 0u);
}

TEST_F(Plans, EveryEdgeOfRandomTemplatesIsKept) {
  std::mt19937_64 random(next_seed());
  for (int round = 0; round < 50; ++round) {
    std::vector<Array<>> buffers;
    for (int i = 0; i < 6; ++i) buffers.emplace_back(1, sim0);
    std::vector<std::vector<Access>> tasks;
    for (int i = 0; i < 40; ++i) {
      std::vector<Access> accesses;
      for (const Array<>& buffer : buffers) {
        const auto drawn = random() % 8;
        if (drawn == 0) accesses.push_back(read_write(buffer));
        if (drawn == 1) accesses.push_back(read(buffer));
      }
      tasks.push_back(accesses);
    }
    const auto made = make_template(tasks);
    for (const std::uint32_t streams : {1u, 2u, 4u, 7u}) {
      const SegmentPlan plan = SegmentPlan::make(*made, streams);
      ASSERT_EQ(plan.steps.size(), made->nodes().size());
      ASSERT_LE(plan.last_nodes.size(), streams);
      const Order order(plan);
      for (std::uint32_t node = 0; node < plan.steps.size(); ++node)
        for (const std::uint32_t successor : made->successors(made->nodes()[node]))
          ASSERT_TRUE(order.precedes(node, successor)) << node << " and " << successor;
    }
  }
}

}  // namespace
}  // namespace stretto
