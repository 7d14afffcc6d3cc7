// STRETTO_CHECK=access: what a task touches is held against what it declared.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "engine/scenario.h"
#include "engine/testing.h"

namespace {

/// While it is set the thread's allocations end the process: what the check does amid an access is the handler of a
/// signal.
thread_local bool must_not_allocate = false;

void* allocate(std::size_t bytes) {
  if (must_not_allocate) {
    static constexpr char text[] = "the handler allocates\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    _exit(3);
  }
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace stretto {
namespace {

const Variables checked{{"STRETTO_CHECK", "access"}};

Array<> make(std::size_t count, Device device = cpu0, std::uint32_t line = 1) {
  Array<> array(count, device);
  submit({.name = "make", .device = device, .site = program(line)}, {write(array)}, [count](BodyContext& context) {
    for (std::size_t i = 0; i < count; ++i) data(context, 0)[i] = static_cast<std::int64_t>(i);
  });
  return array;
}

/// Where the elements are, as a task may look them up that has no right to.
std::int64_t* place(const Array<>& array) { return reinterpret_cast<std::int64_t*>(array.buffer->data()); }

Box elements(std::int64_t first, std::int64_t count, std::int64_t step = 1) {
  return Box(first * 8, 8, Shape{count}, Strides{step});
}

/// What becomes of a task "bad" on `device`, at line 9, that writes `result` and besides does `body`.
template <typename Body>
void tell(Device device, std::vector<Access> accesses, Body body) {
  const Array<> result(1, device);
  accesses.insert(accesses.begin(), write(result));
  submit({.name = "bad", .device = device, .site = program(9)}, accesses, [body](BodyContext& context) {
    *data(context, 0) = 1;
    body(context);
  });
  std::printf("%s\n", error_of([&] { result.wait(); }).c_str());
}

const Scenario undeclared("a task touches what it did not declare", [] {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x = make(100, device);
    std::int64_t* const place_of_x = place(x);
    tell(device, {}, [=](BodyContext& context) { *data(context, 0) = place_of_x[2]; });
    tell(device, {}, [=](BodyContext&) { place_of_x[99] = 7; });
    tell(device, {}, [=](BodyContext&) { place_of_x[100] = 7; });
  }
  error_of([] { wait_all(); });
  return 0;
});
TEST(AccessCheck, NamesWhatWasNotDeclared) {
  const auto lines = [](const std::string& device) {
    const std::string tensor = "800 bytes on " + device + ", made by make (program.cpp:1) (at program.cpp:9)\n";
    return "[bad] reads byte 16 of a tensor that it did not declare: " + tensor +
           "[bad] writes byte 792 of a tensor that it did not declare: " + tensor +
           "[bad] writes byte 800 past the end of a tensor: " + tensor;
  };
  EXPECT_SCENARIO("a task touches what it did not declare", checked, lines("cpu:0") + lines("sim:0"));
}

const Scenario read_alone("a task writes what it only reads", [] {
  for (const Device device : {cpu1, sim1}) {
    // x was written last: it is compared, and put back. The others are protected.
    const Array<> y = make(100, device), large = make(1000, device), x = make(100, device);
    tell(device, {read(y), read(x)}, [](BodyContext& context) { data(context, 2)[3] = data(context, 1)[4]; });
    tell(device, {read(large), read(x)}, [](BodyContext& context) { data(context, 1)[3] = data(context, 2)[3]; });
    std::printf("%d\n", static_cast<int>(x.wait()[3]));
  }
  return 0;
});
TEST(AccessCheck, NamesAWriteToWhatIsOnlyRead) {
  const auto line = [](const std::string& device) {
    const std::string place = " bytes on " + device + ", made by make (program.cpp:1) (at program.cpp:9)\n";
    return "[bad] writes byte 24 of its tensor 2, which it declared to read alone: 800" + place +
           "[bad] writes byte 24 of its tensor 1, which it declared to read alone: 8000" + place + "3\n";
  };
  EXPECT_SCENARIO("a task writes what it only reads", checked, line("cpu:1") + line("sim:1"));
}

const Scenario outside("a task writes outside of its part", [] {
  for (const Device device : {cpu0, sim0}) {
    const Array<> x = make(4096, device);
    const auto row = elements(8, 8), column = elements(0, 64, 64), other = elements(24, 8);
    // In the same page, in another one, between the elements of a column, and past the end: each is put back.
    tell(device, {write(x, &row)}, [](BodyContext& context) { data(context, 1)[16] = -1; });
    tell(device, {write(x, &row)}, [](BodyContext& context) { data(context, 1)[2000] = -1; });
    tell(device, {write(x, &column)}, [](BodyContext& context) { data(context, 1)[65] = -1; });
    tell(device, {write(x, &row), read(x, &other)}, [](BodyContext& context) { data(context, 1)[24] = -1; });
    // Of a page that is not its own.
    tell(device, {read(x, &other)}, [](BodyContext& context) { *data(context, 0) = data(context, 1)[3000]; });
    const Array<> three = make(3, device, 2);
    tell(device, {write(three)}, [](BodyContext& context) { data(context, 1)[3] = -1; });
    for (const Box& one : {elements(16, 1), elements(24, 1), elements(65, 1)}) {
      Engine::get().wait(*x.buffer, &one, "read", program(10));
      std::printf("%d\n", static_cast<int>(place(x)[one.offset() / 8]));
    }
  }
  return 0;
});
TEST(AccessCheck, NamesAWriteOutsideOfTheDeclaredPart) {
  const auto lines = [](const std::string& device) {
    const std::string tensor = "32768 bytes on " + device + ", made by make (program.cpp:1) (at program.cpp:9)\n";
    const std::string row = " of its tensor 1, of which it declared bytes 64..128 alone: " + tensor;
    return "[bad] writes byte 128" + row + "[bad] writes byte 16000" + row +
           "[bad] writes byte 520 of its tensor 1, of which it declared bytes 0..8 by (64 x 512) alone: " + tensor +
           "[bad] writes byte 192" + row +
           "[bad] reads byte 24000 of its tensor 1, of which it declared bytes 192..256 alone: " + tensor +
           "[bad] writes byte 24 of its tensor 1, past its end: 24 bytes on " + device +
           ", made by make (program.cpp:2) (at program.cpp:9)\n16\n24\n65\n";
  };
  EXPECT_SCENARIO("a task writes outside of its part", checked, lines("cpu:0") + lines("sim:0"));
}

const Scenario gone("a task reads a tensor that is gone", [] {
  for (const Device device : {cpu0, sim0}) {
    auto x = std::make_unique<Array<>>(make(100, device));
    const std::int64_t* const place_of_x = place(*x);
    x.reset();
    const Array<> next = make(100, device, 2);  // not in its place
    tell(device, {read(next)}, [=](BodyContext& context) { *data(context, 0) = place_of_x[2]; });
  }
  return 0;
});
TEST(AccessCheck, NamesAReadOfATensorThatIsGone) {
  const auto line = [](const std::string& device) {
    return "[bad] reads byte 16 of a tensor that is gone: 800 bytes on " + device +
           ", made by make (program.cpp:1) (at program.cpp:9)\n";
  };
  EXPECT_SCENARIO("a task reads a tensor that is gone", checked, line("cpu:0") + line("sim:0"));
}

/// Reads, and nothing else is to happen meanwhile.
std::int64_t read_amid_nothing(const std::int64_t* place) {
  must_not_allocate = true;
  const std::int64_t value = *const_cast<const volatile std::int64_t*>(place);
  must_not_allocate = false;
  return value;
}

const Scenario in_handler("a task touches what it did not declare, amid anything", [] {
  const Array<> x = make(100);
  const std::int64_t* const place_of_x = x.wait();
  tell(cpu0, {}, [=](BodyContext& context) {
    errno = 42;
    *data(context, 0) = read_amid_nothing(place_of_x + 2);
    std::printf("%d\n", errno);
  });
  // The program looks again at what it looked at before.
  submit({.name = "other", .site = program(8)}, {}, [](BodyContext&) {});
  std::printf("%d\n", static_cast<int>(read_amid_nothing(place_of_x + 3)));
  return 0;
});
TEST(AccessCheck, DoesAmidAnAccessOnlyWhatHandlersOfSignalsMay) {
  EXPECT_SCENARIO("a task touches what it did not declare, amid anything", checked,
                  "42\n[bad] reads byte 16 of a tensor that it did not declare: 800 bytes on cpu:0, made by make "
                  "(program.cpp:1) (at program.cpp:9)\n3\n");
}

const Scenario host_reads_gone("the program reads a tensor that is gone", [] {
  auto x = std::make_unique<Array<>>(make(100));
  const std::int64_t* const place_of_x = x->wait();
  std::printf("%d\n", static_cast<int>(place_of_x[2]));
  std::fflush(stdout);
  x.reset();
  return static_cast<int>(read_amid_nothing(place_of_x + 3));
});
TEST(AccessCheck, TheProgramThatReadsATensorThatIsGoneEnds) {
  const Ended ended = run_scenario("the program reads a tensor that is gone", checked);
  EXPECT_NE(ended.code, 0);
  const std::string line =
      "2\nstretto: the program reads byte 24 of a tensor that is gone: 800 bytes on cpu:0, made by make "
      "(program.cpp:1)\n";
  EXPECT_EQ(ended.output.substr(0, line.size()), line);
}

const Scenario nested_access("a task touches what the task around it declared", [] {
  const Array<> x = make(100), y(1);
  submit({.name = "outer", .site = program(8)}, {read(x), write(y)}, [](BodyContext& context) {
    const std::int64_t* const values = data(context, 0);
    tell(cpu0, {}, [=](BodyContext& within) { *data(within, 0) = values[2]; });
    *data(context, 1) = values[1];
  });
  std::printf("%d\n", static_cast<int>(y.item()));
  return 0;
});
TEST(AccessCheck, ATaskInsideAnotherHasItsOwnRights) {
  EXPECT_SCENARIO("a task touches what the task around it declared", checked,
                  "[bad] reads byte 16 of a tensor that it did not declare: 800 bytes on cpu:0, made by make "
                  "(program.cpp:1) (at program.cpp:9)\n1\n");
}

const Scenario unread("nobody reads what the check found", [] {
  const Array<> x = make(1);
  submit({.name = "bad", .site = program(9)}, {}, [place_of_x = place(x)](BodyContext&) { *place_of_x = 1; });
  return 0;
});
TEST(AccessCheck, WhatNobodyReadsEndsTheProcessWithOne) {
  const Ended ended = run_scenario("nobody reads what the check found", checked);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.output,
            "stretto: a failure was never read: [bad] writes byte 0 of a tensor that it did not declare: 8 bytes on "
            "cpu:0, made by make (program.cpp:1) (at program.cpp:9)\n");
}

const Scenario right("a right program is checked", [] {
  const Array<> x = make(4096), y(4096, sim0), z(4096, cpu1), w = make(700), made(1);
  const auto copy = [](BodyContext& context) { std::memcpy(data(context, 1), data(context, 0), 4096 * 8); };
  submit({.name = "copy", .device = sim0, .role = LaneRole::from_host}, {read(x), write(y)}, copy);
  // Parts of one page, by turns.
  const Box even = elements(0, 2048, 2), odd = elements(1, 2048, 2), first = elements(0, 512);
  for (const Box* part : {&even, &odd})
    submit(sim0, {read_write(y, part)}, [part = *part](BodyContext& context) {
      for (int i = 0; i < 2048; ++i) data(context, 0)[part.offset() / 8 + 2 * i] *= 2;
    });
  submit({.name = "copy", .device = sim0, .role = LaneRole::to_host}, {read(y), write(z)}, copy);
  submit(cpu0, {read_write(x, &first), write(made)}, [w](BodyContext& context) {
    for (int i = 0; i < 512; ++i) data(context, 0)[i] += 1;
    // What it did not declare it may wait for, and what it makes is its own.
    const Array<> own = make(100);
    *data(context, 1) = own.wait()[50] + w.wait()[600];
  });
  // The program looks at values while others are computed, and again behind them.
  const std::int64_t* const values = z.wait();
  const std::int64_t* const sums = x.wait();
  std::int64_t total = 0;
  for (int i = 0; i < 100; ++i) {
    const Array<> other = make(600);
    total += other.item() + values[i] + sums[510 + i];
  }
  std::printf("%d %d\n", static_cast<int>(total), static_cast<int>(made.item()));
  return 0;
});
TEST(AccessCheck, ARightProgramStaysRight) {
  for (const Variables& variables : {checked, Variables{{"STRETTO_ENGINE", "serial"}}, Variables{}}) {
    const int sums = 9900 + (510 + 609) * 50 + 2;
    EXPECT_SCENARIO("a right program is checked", variables, std::to_string(sums) + " 650\n");
  }
}

}  // namespace
}  // namespace stretto
