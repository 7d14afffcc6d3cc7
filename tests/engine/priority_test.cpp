#include <mutex>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace stretto {
namespace {

/// Names of tasks in the order in which they ran.
class Order {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    text_ += (text_.empty() ? "" : " ") + name;
  }
  std::string text() const { return text_; }

 private:
  std::mutex mutex_;
  std::string text_;
};

/// The pool's only worker is held at a gate, so that what runs next is decided when all is there.
const Scenario inherited("priority is inherited", [] {
  const Array<> held(1), a(1), b(1), c(1), d(1);
  Order order;
  Gate gate;
  const auto body = [&order](const char* name) { return [&order, name](BodyContext&) { order.add(name); }; };
  submit(cpu0, {write(held)}, [gate](BodyContext&) { gate.pass(); });
  eventually([&] { return gate.arrived() == 1; });
  // A chain of low tasks behind the gate, and one of ready ones.
  submit({.name = "a1", .priority = Priority::low}, {read(held), write(a)}, body("a1"));
  submit({.name = "a2", .priority = Priority::low}, {read_write(a)}, body("a2"));
  submit({.name = "b1", .priority = Priority::low}, {write(b)}, body("b1"));
  submit({.name = "b2", .priority = Priority::low}, {read_write(b)}, body("b2"));
  submit({.name = "c1", .priority = Priority::low}, {write(c)}, body("c1"));
  for (int i = 0; i < 5; ++i) submit({.name = "n"}, {read(held)}, body("n"));
  submit({.name = "d1", .priority = Priority::low}, {write(d)}, body("d1"));
  submit({.name = "high", .priority = Priority::high}, {read(a), read(b)}, body("high"));
  gate.open();
  wait_all();
  std::puts(order.text().c_str());
  return 0;
});

TEST(Priority, IsInheritedByWhateverAnUrgentTaskWaitsFor) {
  for (const char* schedule : {"", "random:1", "random:2", "random:3"}) {
    const Ended ended =
        run_scenario("priority is inherited",
                     {{"STRETTO_WORKERS", "1"}, {"STRETTO_ENGINE", "parallel"}, {"STRETTO_SCHEDULE", schedule}});
    EXPECT_EQ(ended.code, 0) << ended.output;
    const std::string& order = ended.output;
    const std::size_t high = order.find("high");
    ASSERT_NE(high, std::string::npos);
    for (const char* before : {"a1", "a2", "b1", "b2"}) EXPECT_LT(order.find(before), high) << order;
    for (const char* after : {"n", "c1", "d1"}) EXPECT_GT(order.find(after), high) << order;
    EXPECT_GT(order.find("c1"), order.rfind("n")) << "low tasks come last: " << order;
  }
}

const Scenario long_chain("a long chain is raised", [] {
  const Array<> x(1);
  Gate gate;
  std::atomic<int> ran{0};
  submit(cpu0, {write(x)}, [gate](BodyContext&) { gate.pass(); });
  for (int i = 0; i < 300000; ++i)
    submit({.name = "low", .priority = Priority::low}, {read_write(x)}, [&](BodyContext&) { ++ran; });
  submit({.name = "high", .priority = Priority::high}, {read_write(x)},
         [&](BodyContext&) { std::printf("%d\n", ran.load()); });
  gate.open();
  wait_all();
  return 0;
});

TEST(Priority, RaisesChainsOfAnyLength) {
  EXPECT_SCENARIO("a long chain is raised",
                  (Variables{{"STRETTO_MAX_INFLIGHT", "1000000"}, {"STRETTO_ENGINE", "parallel"}}), "300000\n");
}

const Scenario other_device("raised tasks stay on their device", [] {
  // Tasks of cpu:1 are raised and wait for cpu:0, whose only worker is free: whoever runs them, all must end.
  for (int round = 0; round < 200; ++round) {
    const Array<> held(1, cpu1), x(1, cpu1), y(1, cpu1);
    Gate gate;
    submit(cpu1, {write(held)}, [gate](BodyContext&) { gate.pass(); });
    submit({.name = "low", .device = cpu1, .priority = Priority::low}, {write(x)}, [](BodyContext& context) {
      const Array<> inner(1);
      fill<std::int64_t>(inner, 3, cpu0);
      *data(context, 0) = inner.item();
    });
    submit({.name = "high", .device = cpu1, .priority = Priority::high}, {read(x), write(y)},
           [](BodyContext& context) { *data(context, 1) = *data(context, 0); });
    for (int i = 0; i < 20; ++i) submit(cpu0, {}, [](BodyContext&) {});
    gate.open();
    if (y.item() != 3) return 1;
  }
  std::puts("done");
  return 0;
});

TEST(Priority, RunsRaisedTasksOnTheirOwnDevice) {
  EXPECT_SCENARIO("raised tasks stay on their device",
                  (Variables{{"STRETTO_WORKERS", "1"}, {"STRETTO_ENGINE", "parallel"}}), "done\n");
}

}  // namespace
}  // namespace stretto
