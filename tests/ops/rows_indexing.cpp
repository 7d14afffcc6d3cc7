#include <stretto/ops/indexing.h>
#include <stretto/ops/joining.h>

#include "ops/along_axes.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

/// The extents before an axis, along it and behind it.
struct Split {
  std::int64_t outer = 1, extent, inner = 1;

  Split(const Shape& shape, int axis) : extent(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  }
  std::size_t position(std::int64_t o, std::int64_t k, std::int64_t i) const {
    return static_cast<std::size_t>((o * extent + k) * inner + i);
  }
};

Values joined(const std::vector<Values>& parts, int axis) {
  Values result = parts[0];
  std::vector<double> numbers;
  result.shape[axis] = 0;
  for (const Values& part : parts) result.shape[axis] += part.shape[axis];
  const Split split(result.shape, axis);
  for (std::int64_t o = 0; o < split.outer; ++o) {
    for (const Values& part : parts) {
      const auto size = static_cast<std::ptrdiff_t>(part.shape[axis] * split.inner);
      const auto begin = part.numbers.begin() + o * size;
      numbers.insert(numbers.end(), begin, begin + size);
    }
  }
  result.numbers = numbers;
  return result;
}

Values with_axis(Values values, int axis) {
  values.shape.insert(axis, 1);
  return values;
}

Values selected(const Values& x, int axis, const Values& index) {
  Values result{x.shape, {}};
  result.shape[axis] = index.numel();
  const Split split(x.shape, axis);
  for (std::int64_t o = 0; o < split.outer; ++o) {
    for (const double k : index.numbers) {
      for (std::int64_t i = 0; i < split.inner; ++i) {
        result.numbers.push_back(x.numbers[split.position(o, static_cast<std::int64_t>(k), i)]);
      }
    }
  }
  return result;
}

Values added(const Values& x, int axis, const Values& index, const Values& source, double alpha) {
  Values result = x;
  const Split to(x.shape, axis), from(source.shape, axis);
  for (std::int64_t o = 0; o < from.outer; ++o) {
    for (std::int64_t k = 0; k < from.extent; ++k) {
      const auto target = static_cast<std::int64_t>(index.numbers[static_cast<std::size_t>(k)]);
      for (std::int64_t i = 0; i < from.inner; ++i) {
        result.numbers[to.position(o, target, i)] += alpha * source.numbers[from.position(o, k, i)];
      }
    }
  }
  return result;
}

/// Element by element: the position along the axis comes from the index, the others stay.
Values gathered(const Values& x, int axis, const Values& index) {
  Values result{index.shape, {}};
  for (std::int64_t n = 0; n < index.numel(); ++n) {
    std::int64_t rest = n, position = 0, step = 1;
    for (int i = x.shape.rank() - 1; i >= 0; --i) {
      const std::int64_t own = rest % index.shape[i];
      const auto along = static_cast<std::int64_t>(index.numbers[static_cast<std::size_t>(n)]);
      position += (i == axis ? along : own) * step;
      rest /= index.shape[i];
      step *= x.shape[i];
    }
    result.numbers.push_back(x.numbers[static_cast<std::size_t>(position)]);
  }
  return result;
}

OperatorRow indexing(const std::string& name, OperatorRow::Call call, OperatorRow::Reference reference,
                     std::vector<std::vector<DType>> dtypes, std::vector<std::vector<Shape>> shapes,
                     std::vector<Range> ranges) {
  OperatorRow row;
  row.name = name;
  row.call = std::move(call);
  row.reference = std::move(reference);
  row.result_types = [](const std::vector<DType>& types) { return std::vector{types[0]}; };
  row.dtypes = std::move(dtypes);
  row.shapes = std::move(shapes);
  row.ranges = std::move(ranges);
  return row;
}

std::vector<std::vector<DType>> with_index(const std::vector<DType>& dtypes, int behind) {
  std::vector<std::vector<DType>> trials;
  for (const DType dtype : dtypes) {
    trials.push_back({dtype, DType::int64});
    trials.back().insert(trials.back().end(), behind, dtype);
  }
  trials.push_back({DType::float32, DType::int32});
  trials.back().insert(trials.back().end(), behind, DType::float32);
  return trials;
}

std::vector<std::vector<DType>> with_mixed(std::vector<std::vector<DType>> trials) {
  trials.push_back({DType::int64, DType::float16});
  trials.push_back({DType::bool_, DType::uint8});
  return trials;
}

}  // namespace

std::vector<OperatorRow> indexing_rows() {
  using X = const std::vector<Tensor>&;
  using V = const std::vector<Values>&;
  OperatorRow concatenation = indexing(
      "concat", [](X x) { return std::vector{concat({x[0], x[1]}, 1)}; }, [](V x) { return std::vector{joined(x, 1)}; },
      with_mixed(alike(all_dtypes, 2)),
      {{Shape{2, 3}, Shape{2, 4}},
       {Shape{2, 3, 2}, Shape{2, 1, 2}},
       {Shape{2, 0}, Shape{2, 3}},
       {Shape{0, 3}, Shape{0, 2}}},
      {{}, {}});
  concatenation.result_types = promoted_type();
  OperatorRow stacking = indexing(
      "stack", [](X x) { return std::vector{stack({x[0], x[1]}, -1)}; },
      [](V x) {
        const int axis = x[0].shape.rank();
        return std::vector{joined({with_axis(x[0], axis), with_axis(x[1], axis)}, axis)};
      },
      with_mixed(alike(all_dtypes, 2)), {{Shape{2, 3}, Shape{2, 3}}, {Shape{4}, Shape{4}}, {Shape{0, 2}, Shape{0, 2}}},
      {{}, {}});
  stacking.result_types = promoted_type();
  OperatorRow hot = indexing(
      "one_hot", [](X x) { return std::vector{one_hot(x[0], 4)}; },
      [](V x) {
        Values result{x[0].shape, {}};
        result.shape.push_back(4);
        for (const double index : x[0].numbers) {
          for (int k = 0; k < 4; ++k) result.numbers.push_back(index == k);
        }
        return std::vector{result};
      },
      alike({DType::int64, DType::int32, DType::uint8}, 1), single_shapes(), {{0, 3}});
  hot.result_types = always(DType::int64);
  OperatorRow sums = indexing(
      "index_add", [](X x) { return std::vector{index_add(x[0], 1, x[1], x[2])}; },
      [](V x) { return std::vector{added(x[0], 1, x[1], x[2], 1)}; }, with_index(number_dtypes, 1),
      {{Shape{2, 3}, Shape{5}, Shape{2, 5}},
       {Shape{2, 3, 4}, Shape{2}, Shape{2, 2, 4}},
       {Shape{2, 3}, Shape{0}, Shape{2, 0}},
       {Shape{0, 3}, Shape{2}, Shape{0, 2}}},
      {{}, {0, 2}, {}});
  sums.tolerance = 5;
  sums.scale = 8;
  OperatorRow scaled_sums = sums;
  scaled_sums.name = "index_add_scaled";
  scaled_sums.call = [](X x) { return std::vector{index_add(x[0], 1, x[1], x[2], 3)}; };
  scaled_sums.reference = [](V x) { return std::vector{added(x[0], 1, x[1], x[2], 3)}; };
  scaled_sums.scale = 24;
  return {
      concatenation,
      stacking,
      indexing(
          "gather", [](X x) { return std::vector{gather(x[0], 1, x[1])}; },
          [](V x) { return std::vector{gathered(x[0], 1, x[1])}; }, with_index(all_dtypes, 0),
          {{Shape{2, 3}, Shape{2, 5}},
           {Shape{4, 3}, Shape{2, 2}},
           {Shape{2, 3, 4}, Shape{2, 7, 4}},
           {Shape{2, 3}, Shape{0, 2}},
           {Shape{2, 3}, Shape{2, 0}}},
          {{}, {0, 2}}),
      indexing(
          "gather_of_first", [](X x) { return std::vector{gather(x[0], 0, x[1])}; },
          [](V x) { return std::vector{gathered(x[0], 0, x[1])}; }, with_index(all_dtypes, 0),
          {{Shape{3}, Shape{7}}, {Shape{3, 4}, Shape{2, 4}}, {Shape{3, 2, 2}, Shape{5, 1, 2}}}, {{}, {0, 2}}),
      indexing(
          "index_select", [](X x) { return std::vector{index_select(x[0], 0, x[1])}; },
          [](V x) { return std::vector{selected(x[0], 0, x[1])}; }, with_index(all_dtypes, 0),
          {{Shape{3}, Shape{5}},
           {Shape{3, 4}, Shape{5}},
           {Shape{3, 2, 2}, Shape{1}},
           {Shape{3, 4}, Shape{0}},
           {Shape{3, 0}, Shape{2}},
           {Shape{3, 4}, Shape{}}},
          {{}, {0, 2}}),
      indexing(
          "index_select_of_last", [](X x) { return std::vector{index_select(x[0], -1, x[1])}; },
          [](V x) { return std::vector{selected(x[0], x[0].shape.rank() - 1, x[1])}; }, with_index(all_dtypes, 0),
          {{Shape{3}, Shape{5}}, {Shape{4, 3}, Shape{5}}, {Shape{2, 2, 3}, Shape{2}}}, {{}, {0, 2}}),
      sums,
      scaled_sums,
      hot,
  };
}

}  // namespace stretto
