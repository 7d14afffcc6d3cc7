#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/testing.h"

namespace stretto {

/// What goes wrong at one statement of a `FaultProgram`.
enum class Fault { none, throws, no_memory };

/// The same sequence of statements each time, over arrays of all devices: whole arrays and halves, changed in place and
/// overwritten, copied among devices, dropped and made anew, read by the program, and written to places outside by
/// tasks with effects. A plain loop beside it knows what each half must be, or whose failure.
class FaultProgram {
 public:
  static constexpr int statements = 200;
  /// Where effects go: the value that the statement of this number saw.
  using Effects = std::array<std::atomic<std::int64_t>, statements + 1>;

  /// Statement `point` goes wrong; the statements count from 1. `effects` may be null.
  FaultProgram(Fault fault, int point, Effects* effects = nullptr) : fault_(fault), point_(point), effects_(effects) {
    for (std::size_t i = 0; i < array_count; ++i) arrays_.push_back(make(device_of(i)));
  }

  /// Submits statements `first` to `last`. What the program reads in between it compares.
  void run(int first, int last) {
    for (int number = first; number <= last; ++number) step(number);
  }
  void run() { run(1, statements); }
  /// Compares everything.
  void compare_all() {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      for (int half = 0; half < 2; ++half) compare(i, half);
  }
  void drop_all() { arrays_.clear(); }

  /// What was not as it must be, one line each; empty where all was.
  const std::string& complaints() const { return complaints_; }

  /// A device is lost, or the process is a child: what came over that device, or everything, may be right or fail with
  /// an error that holds this text.
  struct Excuse {
    std::string text;
    bool everything = false;
    Device device{};
  };
  void excuse(const Excuse& one) { excuses_.push_back(one); }

  /// How many statements so far saw the right thing because they had to, and by a failure or an excuse.
  int right() const { return right_; }
  int failed() const { return failed_; }
  /// The effects submitted so far that must have happened once the process has ended: statement and value.
  const std::vector<std::pair<int, std::int64_t>>& expected_effects() const { return expected_effects_; }

 private:
  static constexpr std::size_t per_device = 3, device_count = 4, array_count = per_device * device_count;
  static constexpr int elements = 64;

  struct Half {
    std::int64_t value = 0;
    int failed = 0;        ///< The statement whose failure it is, or 0.
    unsigned devices = 0;  ///< A bit for each device that had a part in it.
  };
  struct Variable {
    Array<> array;
    std::array<Half, 2> halves;
  };
  static Device device_of(std::size_t array) {
    constexpr std::array<Device, device_count> all{cpu0, cpu1, sim0, sim1};
    return all[array / per_device];
  }
  static unsigned bit_of(Device device) {
    return 1u << (2 * (device.kind() == DeviceKind::sim ? 1 : 0) + device.index());
  }
  static Box box_of(int half) { return Box(half * elements / 2 * 8, 8, Shape{elements / 2}, Strides{1}); }

  std::uint64_t draw(std::uint64_t below) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return (random_ >> 33) % below;
  }

  Variable make(Device device) {
    Variable made{Array<>(elements, device), {}};
    fill<std::int64_t>(made.array, ++made_, device);
    for (Half& half : made.halves) half = {made_, 0, bit_of(device)};
    return made;
  }

  void step(int number) {
    const std::size_t target = draw(array_count), other = draw(array_count);
    const bool same = target / per_device == other / per_device;
    const std::uint64_t kind = draw(16);
    const int half = static_cast<int>(draw(2));
    if (kind == 0) {
      arrays_[target] = make(device_of(target));
    } else if (kind == 1) {
      compare(target, half);
    } else if (kind == 2) {
      effect(number, target);
    } else if (!same) {
      copy(number, target, other);
    } else if (kind < 9) {
      change(number, target, other, {0, 1});
    } else {
      change(number, target, other, {half});
    }
  }

  /// target = 3 * target + other + number, in these halves.
  void change(int number, std::size_t target, std::size_t other, const std::vector<int>& halves) {
    const Box box = box_of(halves.front());
    const Box* const part = halves.size() == 2 ? nullptr : &box;
    std::vector<Access> accesses{read_write(arrays_[target].array, part)};
    if (other != target) accesses.push_back(read(arrays_[other].array, part));
    const std::size_t first = part == nullptr ? 0 : static_cast<std::size_t>(part->offset() / 8);
    const std::size_t count = part == nullptr ? elements : elements / 2;
    submit_statement(number, device_of(target), LaneRole::compute, accesses,
                     [=, alone = other == target](BodyContext& context) {
                       for (std::size_t i = first; i < first + count; ++i) {
                         std::int64_t& value = data(context, 0)[i];
                         value = grow(value, alone ? value : data(context, 1)[i], number);
                       }
                     });
    for (const int half : halves) {
      Half& changed = arrays_[target].halves[static_cast<std::size_t>(half)];
      const Half& read = arrays_[other].halves[static_cast<std::size_t>(half)];
      changed.value = grow(changed.value, read.value, number);
    }
    fail_together(number, target, other, halves, bit_of(device_of(target)));
  }

  void copy(int number, std::size_t target, std::size_t source) {
    const Device from = device_of(source), to = device_of(target);
    const bool out = from.kind() == DeviceKind::sim, in = to.kind() == DeviceKind::sim;
    const LaneRole role = out && in ? LaneRole::peer : out ? LaneRole::to_host : LaneRole::from_host;
    const Device device = out ? from : to;
    submit_statement(number, device, out || in ? role : LaneRole::compute,
                     {write(arrays_[target].array), read(arrays_[source].array)}, [](BodyContext& context) {
                       for (int i = 0; i < elements; ++i) data(context, 0)[i] = data(context, 1)[i];
                     });
    for (std::size_t half = 0; half < 2; ++half) {
      arrays_[target].halves[half] = {arrays_[source].halves[half].value, 0, 0};
    }
    fail_together(number, target, source, {0, 1}, bit_of(device));
  }

  void effect(int number, std::size_t target) {
    submit({.name = "effect", .device = device_of(target), .outside_effect = true, .site = site(number)},
           {read(arrays_[target].array)}, [number, effects = effects_](BodyContext& context) {
             if (effects != nullptr) (*effects)[static_cast<std::size_t>(number)] = data(context, 0)[0];
           });
    if (arrays_[target].halves[0].failed == 0 && arrays_[target].halves[1].failed == 0)
      expected_effects_.emplace_back(number, arrays_[target].halves[0].value);
  }

  template <typename Body>
  void submit_statement(int number, Device device, LaneRole role, std::vector<Access> accesses, Body body) {
    const bool wrong = number == point_;
    std::vector<Array<>> tebibyte;
    if (wrong && fault_ == Fault::no_memory) {
      tebibyte.emplace_back(std::size_t{1} << 37, device);
      accesses.push_back(write(tebibyte.front()));
    }
    submit({.name = "step", .device = device, .role = role, .site = site(number)}, accesses,
           [throws = wrong && fault_ == Fault::throws, body](BodyContext& context) {
             if (throws) throw Error("it went wrong");
             body(context);
           });
  }

  /// What fails with statement `number`, and which devices had a part in it: all halves alike.
  void fail_together(int number, std::size_t target, std::size_t other, const std::vector<int>& halves, unsigned bit) {
    int failed = 0;
    unsigned devices = bit;
    const auto take = [&](const Half& read) {
      if (read.failed != 0 && (failed == 0 || read.failed < failed)) failed = read.failed;
      devices |= read.devices;
    };
    for (const int half : halves) {
      take(arrays_[target].halves[static_cast<std::size_t>(half)]);
      take(arrays_[other].halves[static_cast<std::size_t>(half)]);
    }
    if (failed == 0 && number == point_ && fault_ != Fault::none) failed = number;
    for (const int half : halves) {
      arrays_[target].halves[static_cast<std::size_t>(half)].failed = failed;
      arrays_[target].halves[static_cast<std::size_t>(half)].devices = devices;
    }
  }

  static std::int64_t grow(std::int64_t value, std::int64_t other, int number) {
    return static_cast<std::int64_t>(3 * static_cast<std::uint64_t>(value) + static_cast<std::uint64_t>(other) +
                                     static_cast<std::uint64_t>(number));
  }
  static CallSite site(int number) { return {"program.cpp", "", static_cast<std::uint32_t>(number)}; }

  void compare(std::size_t index, int half) {
    const Half& expected = arrays_[index].halves[static_cast<std::size_t>(half)];
    const Buffer& buffer = *arrays_[index].array.buffer;
    const Box box = box_of(half);
    const std::string error =
        error_of([&] { Engine::get().wait(*arrays_[index].array.buffer, &box, "compare", CallSite()); });
    for (const Excuse& one : excuses_) {
      const bool excused = one.everything || (expected.devices & bit_of(one.device)) != 0;
      if (excused && error.find(one.text) != std::string::npos) {
        ++failed_;
        return;
      }
    }
    std::string place = " (at program.cpp:" + std::to_string(expected.failed) + ")";
    const bool names_it = expected.failed == 0 ? error == "nothing"
                          : fault_ == Fault::throws
                              ? error == "[step] it went wrong" + place
                              : error.starts_with("[step] out of memory on ") && error.ends_with(place);
    if (!names_it) {
      complaints_ += "array " + std::to_string(index) + ": " + error + ", expected the failure of statement " +
                     std::to_string(expected.failed) + "\n";
    }
    if (expected.failed != 0 || error != "nothing") {
      ++failed_;
      return;
    }
    ++right_;
    const auto* values = reinterpret_cast<const std::int64_t*>(buffer.data());
    for (int i = half * elements / 2; i < (half + 1) * elements / 2; ++i) {
      if (values[i] == expected.value) continue;
      complaints_ += "array " + std::to_string(index) + ": element " + std::to_string(i) + " is " +
                     std::to_string(values[i]) + ", not " + std::to_string(expected.value) + "\n";
      return;
    }
  }

  const Fault fault_;
  const int point_;
  Effects* const effects_;
  std::uint64_t random_ = 7;
  std::int64_t made_ = 0;
  std::vector<Variable> arrays_;
  std::vector<Excuse> excuses_;
  std::vector<std::pair<int, std::int64_t>> expected_effects_;
  std::string complaints_;
  int right_ = 0;
  int failed_ = 0;
};

}  // namespace stretto
