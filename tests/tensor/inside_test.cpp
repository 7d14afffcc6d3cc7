// Bodies of tasks that use tensors by their handles.
#include <functional>
#include <numeric>

#include "tensor/testing.h"

namespace stretto {
namespace {

using Floats = std::vector<float>;

float total(const Tensor& x) {
  const Floats values = x.to_vector<float>();
  return std::accumulate(values.begin(), values.end(), 0.0f);
}

class InsideOn : public OnEachDevice {
 protected:
  /// Runs `body` in a task that reads `declared`, and that goes on once the program has overwritten all of `source`.
  void run_before_a_write(const Tensor& declared, const Tensor& source, const std::function<void()>& body) const {
    Gate gate;
    if (serial_engine()) gate.open();
    const Tensor done = empty({1}, device());
    task("reader", device()).read(declared).write(done).run([gate, body](TaskContext& context) {
      if (!gate.pass()) throw Error("nobody opened the gate");
      body();
      *context.data<float>(1) = 1;
    });
    source.fill_(-1);
    gate.open();
    EXPECT_EQ(done.item<float>(), 1);
    EXPECT_EQ(source.to_vector<float>(), repeated<float>(source.numel(), -1));
  }
};
// A body that issues to a lane does not wait for it.
INSTANTIATE_TEST_SUITE_P(Each, InsideOn, testing::Values(Device(DeviceKind::cpu, 0), Device(DeviceKind::cpu, 1)),
                         device_name);

TEST_P(InsideOn, ReadsWhatTheTaskSees) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = counting({6, 3}, device());
    const std::vector<std::pair<Tensor, Floats>> views = {
        {x, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
        {x.select(1, 1), {1, 4, 7, 10, 13, 16}},
        {x[2], {6, 7, 8}},
        {x.slice(0, 0, 4, 2).t(), {0, 6, 1, 7, 2, 8}}};
    const auto& [view, expected] = views[static_cast<std::size_t>(round) % views.size()];
    Floats values, snapshot;
    float last = 0;
    run_before_a_write(view, x, [&, view = view] {
      view.wait();
      values = view.to_vector<float>();
      const auto host = view.host<float>();
      snapshot.assign(host.begin(), host.end());
      last = view.flatten()[-1].item<float>();
    });
    EXPECT_EQ(values, expected);
    EXPECT_EQ(snapshot, expected);
    EXPECT_EQ(last, expected.back());
  }
}

TEST_P(InsideOn, OperatorsReadWhatTheTaskSees) {
  for (int round = 0; round < 20; ++round) {
    const Tensor x = counting({6, 3}, device());
    const Tensor column = x.select(1, 1);
    std::vector<double> converted;
    Tensor kept, moved;
    run_before_a_write(column, x, [&, column] {
      converted = column.to(DType::float64).to_vector<double>();
      // Not waited for: the task is done when they are.
      kept = column.slice(0, 0, 2).clone();
      kept += column.slice(0, 2, 4);
      moved = column.to(sim());
    });
    EXPECT_EQ(converted, (std::vector<double>{1, 4, 7, 10, 13, 16}));
    EXPECT_EQ(kept.to_vector<float>(), (Floats{1 + 7, 4 + 10}));
    EXPECT_EQ(moved.to_vector<float>(), (Floats{1, 4, 7, 10, 13, 16}));
  }
}

TEST_P(InsideOn, TasksReadWhatTheTaskSees) {
  const Tensor x = counting({4}, device());
  const Tensor results = empty({3}, device());
  run_before_a_write(x, x, [x, results, device = device()] {
    for (int i = 0; i < 3; ++i) {
      task("inner", device).read(x).write(results[i]).run([x, i](TaskContext& context) {
        sleep_for_milliseconds(5);
        *context.data<float>(1) = total(x) + static_cast<float>(i);
      });
    }
  });
  EXPECT_EQ(results.to_vector<float>(), (Floats{6, 7, 8}));
}

TEST_P(InsideOn, LoopsReadWhatTheTaskSees) {
  const Tensor x = counting({8, 8}, device());
  const Tensor sums = empty({8}, device());
  task("loop", device()).read(x.t()).write(sums).run([x](TaskContext& context) {
    auto* values = context.data<float>(1);
    context.parallel_for(8, [&](std::int64_t i) { values[i] = total(x.select(1, i)); });
  });
  x.fill_(0);
  EXPECT_EQ(sums.to_vector<float>(), (Floats{224, 232, 240, 248, 256, 264, 272, 280}));
}

TEST_P(InsideOn, OtherPartsOfATensorAreOtherTensors) {
  const Tensor x = counting({4, 3}, device());
  x += 1;
  task("fill one", device()).write(x[0]).run([x](TaskContext& context) {
    for (int i = 0; i < 3; ++i) context.data<float>(0)[i] = total(x[1]);
  });
  EXPECT_EQ(x.to_vector<float>(), (Floats{15, 15, 15, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST_P(InsideOn, AReaderThatFailsIsAValueThatIsNotThere) {
  const Tensor x = counting({4}, device());
  const Tensor y = empty({1}, device());
  const Tensor z = empty({1}, device());
  task("outer", device()).read(x).write(y).run([=, device = device()](TaskContext& context) {
    task("inner", device, CallSite("program.cpp", "main", 4)).read(x).write(z).run([](TaskContext&) {
      throw Error("it went wrong");
    });
    *context.data<float>(1) = 3;
  });
  EXPECT_EQ(y.item<float>(), 3);
  EXPECT_FAILURE(z.wait(), Error, "[inner] it went wrong (at program.cpp:4)");
}

TEST_P(InsideOn, AFailedBodyEndsAfterItsReaders) {
  const Tensor x = counting({4}, device());
  const Tensor y = empty({1}, device());
  Tensor kept;
  task("outer", device(), CallSite("program.cpp", "main", 4)).read(x).write(y).run([x, &kept](TaskContext&) {
    kept = x.clone();
    kept += x;
    throw Error("it went wrong");
  });
  x.fill_(0);
  EXPECT_FAILURE(y.wait(), Error, "[outer] it went wrong (at program.cpp:4)");
  EXPECT_EQ(kept.to_vector<float>(), (Floats{0, 2, 4, 6}));
}

TEST_P(InsideOn, WaitingForWhatWaitsForTheTaskIsAnErrorAtItsEnd) {
  if (serial_engine()) GTEST_SKIP() << "the serial engine runs the task inside its submission";
  const Tensor x = filled<float>({1}, 1, device());
  const Tensor y = empty({1}, device());
  const Tensor z = filled<float>({1}, 1, device());
  Gate gate;
  task("outer", device(), CallSite("program.cpp", "main", 4)).read(x).write(y).run([=](TaskContext& context) {
    if (!gate.pass()) throw Error("nobody opened the gate");
    z.copy_(Operand(x, CallSite("program.cpp", "main", 5)));
    *context.data<float>(1) = 1;
  });
  z += y;
  gate.open();
  const std::string text =
      "[copy_] waits inside the task outer (program.cpp:4) for something that waits for this very task (at "
      "program.cpp:5)";
  EXPECT_FAILURE(y.wait(), UsageError, text);
  EXPECT_FAILURE(z.wait(), UsageError, text);
  EXPECT_NO_THROW(wait_all());
}

class InsideOnAny : public OnEachDevice {
 protected:
  /// What whoever reads the output of a task on `device` reads, which reads `read`, writes `written`, and does `body`.
  std::string error_of(const Tensor& read, const Tensor& written, const std::function<void()>& body) const {
    Tensor result = empty({1}, device());
    task("outer", device(), CallSite("program.cpp", "main", 4))
        .read(read)
        .write(written)
        .write(result)
        .run([body](TaskContext&) { body(); });
    try {
      result.wait();
      return "nothing";
    } catch (const UsageError& error) {
      return error.what();
    }
  }
};
INSTANTIATE_ON_EACH_DEVICE(InsideOnAny);

TEST_P(InsideOnAny, OtherUsesOfWhatTheTaskDeclaredNameBothLines) {
  const CallSite site("program.cpp", "main", 5);
  const Tensor x = counting({4, 3}, device());
  const Tensor y = counting({4, 3}, device());
  const std::string inside = " inside the task outer (program.cpp:4) a tensor ";
  const std::string at = " (at program.cpp:5)";
  const std::string written = "uses" + inside + "that this task writes: there the context alone reaches it" + at;
  const auto at_site = [site](const Tensor& tensor) { return Operand(tensor, site); };

  EXPECT_EQ(error_of(x, y, [=] { y.clone(site); }), "[clone] " + written);
  EXPECT_EQ(error_of(x, y, [=] { y.fill_(1, site); }), "[fill_] " + written);
  EXPECT_EQ(error_of(x, y[1], [=] { y.copy_(at_site(x)); }), "[copy_] " + written);
  EXPECT_EQ(error_of(x, y, [=, this] { task("inner", device(), site).read_write(y[0]).run([](TaskContext&) {}); }),
            "[inner] " + written);
  EXPECT_EQ(error_of(x, y, [=] { y.wait(site); }),
            "[wait] waits inside the task outer (program.cpp:4) for a tensor that this task writes" + at);
  if (!on_host()) {
    const std::string issued =
        "uses" + inside + "that this task declared: on " + to_string(device()) + " the context alone reaches it" + at;
    EXPECT_EQ(error_of(x, y, [=] { x.clone(site); }), "[clone] " + issued);
    EXPECT_EQ(error_of(x, y, [=] { x.to_vector<float>(site); }), "[to_vector] " + issued);
    EXPECT_EQ(error_of(x, y, [=] { x[0][0].item(site); }), "[item] " + issued);
    return;
  }
  EXPECT_EQ(error_of(x, y, [=] { x.fill_(1, site); }),
            "[fill_] writes" + inside + "that this task declared to read" + at);
  const std::string part = "of which this task declared a part alone" + at;
  EXPECT_EQ(error_of(x[1], y, [=] { x.clone(site); }), "[clone] uses" + inside + part);
  EXPECT_EQ(error_of(x[1], y, [=] { x.wait(site); }),
            "[wait] waits inside the task outer (program.cpp:4) for a tensor " + part);
  EXPECT_EQ(error_of(x.select(1, 0), y, [=] { x[0].clone(site); }), "[clone] uses" + inside + part);
  for (const Tensor& view : {y, y.t(), y.select(1, 0)}) {
    EXPECT_EQ(error_of(x, y, [=] { view.to_vector<float>(site); }),
              view.is_contiguous()
                  ? "[to_vector] waits inside the task outer (program.cpp:4) for a tensor that this task writes" + at
                  : "[to_vector] " + written);
  }
}

}  // namespace
}  // namespace stretto
