#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/testing.h"

namespace stretto {

/// A random sequence of tasks over some matrices, run by the engine and by a plain loop beside it, and compared.
class RandomProgram {
 public:
  struct Options {
    int tasks = 400;
    int arrays = 6;
    int most_accesses = 4;
    std::vector<Device> devices{cpu0, cpu1, sim0, sim1};
    double sleeps = 0.05;     ///< Part of the bodies that sleep for some microseconds.
    double fails = 0;         ///< Part of the bodies that throw.
    double waits = 0.02;      ///< Part of the tasks behind which the program waits for a box, and looks at it.
    double drops = 0.02;      ///< Part of the tasks behind which an array is dropped and a new one made.
    bool whole_only = false;  ///< No boxes.
    bool tiles_only = false;  ///< Boxes that are equal or apart, and no access to a whole matrix.
  };

  RandomProgram(std::uint64_t seed, Options options) : random_(seed), options_(std::move(options)) {
    for (int i = 0; i < options_.arrays; ++i) arrays_.push_back(make_array());
  }

  /// Submits everything; compares at random places.
  void run() {
    for (int i = 0; i < options_.tasks && !testing::Test::HasFailure(); ++i) {
      submit_random(i + 1);
      if (happens(options_.waits)) compare(draw_array(), draw_part());
      if (happens(options_.drops)) {
        const std::size_t dropped = draw_index();
        if (happens(0.5)) compare(arrays_[dropped], Part());
        arrays_[dropped] = make_array();
      }
    }
  }
  /// Compares everything.
  void compare_all() {
    for (const Matrix& matrix : arrays_) {
      if (options_.tiles_only) {
        for (int tile = 0; tile < 4; ++tile) compare(matrix, make_tile(tile));
      } else {
        compare(matrix, Part());
      }
    }
  }
  /// What everything came to, in one line an array: values, or the error. For comparing two processes.
  std::string outcome() const {
    std::string text;
    for (const Matrix& matrix : arrays_) {
      std::uint64_t hash = 1;
      const std::string error = error_of([&] {
        const std::uint64_t* values = matrix.array.wait();
        for (int i = 0; i < size; ++i) hash = mix(hash, values[i]);
      });
      text += error == "nothing" ? std::to_string(hash) : error;
      text += "\n";
    }
    return text;
  }

 private:
  static constexpr int side = 8, size = side * side;

  /// A part of a matrix: its box (none: all), and the elements in it.
  struct Part {
    std::optional<Box> box;
    std::vector<std::uint8_t> elements = [] {
      std::vector<std::uint8_t> all(size);
      for (int i = 0; i < size; ++i) all[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
      return all;
    }();
  };
  struct Matrix {
    Array<std::uint64_t> array;
    std::shared_ptr<std::vector<std::uint64_t>> values = std::make_shared<std::vector<std::uint64_t>>(size);
    std::shared_ptr<std::vector<int>> failed =
        std::make_shared<std::vector<int>>(size);  ///< The task whose failure it is, or 0.
  };
  struct Use {
    AccessMode mode;
    std::vector<std::uint8_t> elements;
  };

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 29);
  }
  /// The body of every task, here and there: what is written depends on all that is read.
  template <typename Data>
  static void compute(const std::vector<Use>& uses, std::uint64_t number, Data data) {
    std::uint64_t hash = number;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (reads(uses[i].mode))
        for (const std::uint8_t element : uses[i].elements) hash = mix(hash, data(i)[element]);
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (writes(uses[i].mode))
        for (const std::uint8_t element : uses[i].elements) data(i)[element] = mix(hash, element);
  }

  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool happens(double part) { return std::uniform_real_distribution<>()(random_) < part; }
  Device draw_device() {
    return options_.devices[static_cast<std::size_t>(draw(0, static_cast<int>(options_.devices.size()) - 1))];
  }
  std::size_t draw_index() { return static_cast<std::size_t>(draw(0, options_.arrays - 1)); }
  const Matrix& draw_array() { return arrays_[draw_index()]; }

  static Part make_part(int row, int column, int height, int width, int row_step, int column_step) {
    constexpr std::size_t item = sizeof(std::uint64_t);
    Part part;
    part.box = Box(static_cast<std::int64_t>((row * side + column) * item), item, Shape{height, width},
                   Strides{row_step * side, column_step});
    part.elements.clear();
    for (int i = 0; i < height; ++i)
      for (int j = 0; j < width; ++j)
        part.elements.push_back(static_cast<std::uint8_t>((row + i * row_step) * side + column + j * column_step));
    return part;
  }
  static Part make_tile(int tile) { return make_part(tile / 2 * 4, tile % 2 * 4, 4, 4, 1, 1); }
  Part draw_part() {
    if (options_.tiles_only) return make_tile(draw(0, 3));
    if (options_.whole_only || happens(0.3)) return Part();
    switch (draw(0, 3)) {
      case 0: return make_tile(draw(0, 3));
      case 1: return make_part(draw(0, side - 1), 0, 1, side, 1, 1);
      case 2: return make_part(0, draw(0, side - 1), side, 1, 1, 1);
      default: break;
    }
    const int row = draw(0, side - 1), column = draw(0, side - 1), row_step = draw(1, 3), column_step = draw(1, 3);
    return make_part(row, column, draw(1, (side - 1 - row) / row_step + 1),
                     draw(1, (side - 1 - column) / column_step + 1), row_step, column_step);
  }

  Matrix make_array() {
    Matrix matrix{Array<std::uint64_t>(size, draw_device())};
    const int parts = options_.tiles_only ? 4 : 1;
    for (int i = 0; i < parts; ++i) {
      const Part part = options_.tiles_only ? make_tile(i) : Part();
      stretto::submit({.name = "make", .device = draw_device()}, {write(matrix.array, part.box ? &*part.box : nullptr)},
                      [elements = part.elements](BodyContext& context) {
                        for (const std::uint8_t element : elements) data<std::uint64_t>(context, 0)[element] = element;
                      });
      for (const std::uint8_t element : part.elements) (*matrix.values)[element] = element;
    }
    return matrix;
  }

  void submit_random(int number) {
    const int count = draw(1, options_.most_accesses);
    std::vector<Access> accesses;
    std::vector<Part> parts(static_cast<std::size_t>(count));  // their boxes are named until the submission
    std::vector<Use> uses;
    std::vector<const Matrix*> matrices;
    for (Part& part : parts) {
      part = draw_part();
      const Matrix& matrix = draw_array();
      const auto mode = static_cast<AccessMode>(draw(1, 3));
      accesses.push_back({matrix.array.get(), part.box ? &*part.box : nullptr, mode});
      uses.push_back({mode, part.elements});
      matrices.push_back(&matrix);
    }
    const bool fails = happens(options_.fails);
    const int sleep = happens(options_.sleeps) ? draw(1, 300) : 0;
    const TaskOptions options{.name = "task",
                              .device = draw_device(),
                              .priority = static_cast<Priority>(draw(0, 2)),
                              .role = LaneRole::compute,
                              .site = CallSite("program.cpp", "main", static_cast<std::uint32_t>(number))};
    stretto::submit(options, accesses, [uses, fails, sleep, number](BodyContext& context) {
      if (sleep > 0) std::this_thread::sleep_for(std::chrono::microseconds(sleep));
      if (fails) throw Error("no");
      compute(uses, static_cast<std::uint64_t>(number), [&](std::size_t i) { return data<std::uint64_t>(context, i); });
    });

    int failed = 0;
    const auto take_earlier = [&](int other) {
      if (other != 0 && (failed == 0 || other < failed)) failed = other;
    };
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (reads(uses[i].mode))
        for (const std::uint8_t element : uses[i].elements) take_earlier((*matrices[i]->failed)[element]);
    if (failed == 0 && fails) failed = number;
    for (std::size_t i = 0; i < uses.size(); ++i)
      if (writes(uses[i].mode))
        for (const std::uint8_t element : uses[i].elements) (*matrices[i]->failed)[element] = failed;
    if (failed == 0)
      compute(uses, static_cast<std::uint64_t>(number), [&](std::size_t i) { return matrices[i]->values->data(); });
  }

  void compare(const Matrix& matrix, const Part& part) {
    int failed = 0;
    for (const std::uint8_t element : part.elements) {
      const int one = (*matrix.failed)[element];
      if (one != 0 && (failed == 0 || one < failed)) failed = one;
    }
    const std::string error = error_of(
        [&] { Engine::get().wait(*matrix.array.buffer, part.box ? &*part.box : nullptr, "compare", CallSite()); });
    EXPECT_EQ(error, failed == 0 ? "nothing" : "[task] no (at program.cpp:" + std::to_string(failed) + ")");
    if (failed != 0 || error != "nothing") return;
    const auto* values = reinterpret_cast<const std::uint64_t*>(matrix.array.buffer->data());
    for (const std::uint8_t element : part.elements)
      ASSERT_EQ(values[element], (*matrix.values)[element]) << "element " << +element;
  }

  std::mt19937_64 random_;
  Options options_;
  std::vector<Matrix> arrays_;
};

}  // namespace stretto
