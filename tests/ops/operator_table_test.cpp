// The table of operators. Each row of a rows_*.cpp file is one operator: how it is called, and what it must compute, as
// plain C++ in double. Each is tried on all its types and shapes, in all layouts, on every device of this process: the
// contiguous result is held against the reference, and every other layout and device must give the same bytes. CTest
// runs the whole table again with the serial engine and with random delays.
//
// To add an operator: append a row to the file of its family. For a function of one number
//
//     unary("cbrt", [](const Tensor& x) { return cbrt(x); }, [](double x) { return std::cbrt(x); }, floating_type(),
//           all_dtypes, {-4, 4}, 1),
//
// is all; `binary` is the same for two. Others fill in an OperatorRow. What the operator refuses goes into
// failures_test.cpp, one line for each wrong call, with its whole message.

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <stretto/tensor/devices.h>

#include "ops/operator_row.h"
#include "ops/values.h"

namespace stretto {
namespace {

class OperatorTable : public testing::TestWithParam<OperatorRow> {};

/// What one trial works on, for messages.
struct Trial {
  const std::vector<DType>& dtypes;
  const std::vector<Shape>& shapes;

  std::string text() const {
    std::string result;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      result += (i > 0 ? ", " : "") + to_string(shapes[i]) + " " + std::string(name(dtypes[i]));
    }
    return result;
  }
};

std::vector<Values> make_operands(const OperatorRow& row, const Trial& trial) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<Values> operands;
  for (std::size_t i = 0; i < trial.shapes.size(); ++i) {
    const DType dtype = trial.dtypes[i];
    const Range range = row.ranges[i];
    std::vector<double> numbers = numbers_between(range.low, range.high, trial.shapes[i].numel(), dtype, 0x5eed + i);
    if (row.specials && is_floating(dtype)) {
      const double specials[] = {std::nan(""), infinity, -infinity, 0.0, -0.0};
      for (std::size_t k = 0; k < 5 && 4 * k + 3 + i < numbers.size(); ++k) numbers[4 * k + 3 + i] = specials[k];
    }
    operands.push_back({trial.shapes[i], numbers});
  }
  return operands;
}

std::vector<Tensor> run(const OperatorRow& row, const Trial& trial, const std::vector<Values>& operands, Layout layout,
                        Device device) {
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    tensors.push_back(make_tensor(operands[i], trial.dtypes[i], layout, device));
  }
  return row.call(tensors);
}

/// Functions and sums in float64 differ from the reference's, which has no wider type on the CPU either; a GPU's are
/// its own, within a few units more.
double tolerance_of(const OperatorRow& row, DType dtype, Device device) {
  const bool own_float64 = device.kind() == DeviceKind::cuda && dtype == DType::float64;
  return own_float64 ? 2 * row.tolerance + 1 : row.tolerance;
}

void expect_values(const OperatorRow& row, const Values& got, const Values& wanted, DType dtype, Device device) {
  ASSERT_EQ(to_string(got.shape), to_string(wanted.shape));
  const std::vector<double> exact = is_floating(dtype) ? wanted.numbers : rounded(wanted.numbers, dtype);
  // The largest finite number and more may become infinite when rounded.
  const std::vector<double> nearest = rounded(wanted.numbers, dtype);
  int shown = 0;
  for (std::size_t i = 0; i < exact.size() && shown < 3; ++i) {
    const double value = got.numbers[i];
    bool same = value == exact[i] || (std::isnan(value) && std::isnan(exact[i])) || value == nearest[i];
    if (!same && is_floating(dtype) && std::isfinite(exact[i]) && std::isfinite(value)) {
      const double allowed =
          tolerance_of(row, dtype, device) * epsilon(dtype) * std::max(std::fabs(exact[i]), row.scale);
      same = std::fabs(value - exact[i]) <= allowed;
    }
    if (same) continue;
    ADD_FAILURE() << "element " << i << " is " << value << ", not " << exact[i];
    ++shown;
  }
}

void check_values(const OperatorRow& row, const Trial& trial, const std::vector<Values>& operands,
                  const std::vector<Tensor>& results) {
  const std::vector<Values> wanted = row.reference(operands);
  const std::vector<DType> types = row.result_types(trial.dtypes);
  ASSERT_EQ(results.size(), wanted.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(name(results[i].dtype()), name(types[i]));
    EXPECT_TRUE(results[i].is_contiguous());
    expect_values(row, read_values(results[i]), wanted[i], types[i], results[i].device());
  }
}

void check_same(const std::vector<Tensor>& results, const std::vector<Tensor>& plain, Device device) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].device(), device);
    EXPECT_EQ(to_string(results[i].shape()), to_string(plain[i].shape()));
    EXPECT_EQ(read_bytes(results[i]), read_bytes(plain[i])) << "result " << i;
  }
}

// Both tests first submit all that they read afterwards, so that the work of many calls is under way at the same time.

TEST_P(OperatorTable, ComputesWhatTheReferenceDoes) {
  const OperatorRow& row = GetParam();
  struct Submitted {
    Trial trial;
    std::vector<Values> operands;
    std::vector<Tensor> results;
  };
  std::vector<Submitted> all;
  for (const std::vector<DType>& dtypes : row.dtypes) {
    for (const std::vector<Shape>& shapes : row.shapes) {
      const Trial trial{dtypes, shapes};
      SCOPED_TRACE(trial.text());
      const std::vector<Values> operands = make_operands(row, trial);
      all.push_back({trial, operands, run(row, trial, operands, Layout::contiguous, cpu())});
    }
  }
  ASSERT_FALSE(all.empty());
  for (const Submitted& each : all) {
    SCOPED_TRACE(each.trial.text());
    check_values(row, each.trial, each.operands, each.results);
    if (HasFailure()) return;
  }
}

TEST_P(OperatorTable, GivesTheSameBytesInEveryLayoutAndOnEveryDevice) {
  const OperatorRow& row = GetParam();
  struct Submitted {
    Trial trial;
    Layout layout;
    Device device;
    std::vector<Tensor> plain;
    std::vector<Tensor> results;
  };
  std::vector<Submitted> all;
  for (const std::vector<DType>& dtypes : row.layout_dtypes.empty() ? row.dtypes : row.layout_dtypes) {
    for (const std::vector<Shape>& shapes : row.shapes) {
      const Trial trial{dtypes, shapes};
      for (const Layout layout : all_layouts) {
        std::vector<Values> operands = make_operands(row, trial);
        if (layout == Layout::repeated) {
          for (Values& values : operands) values = repeat_first_row(values);
        }
        const std::vector<Tensor> plain = run(row, trial, operands, Layout::contiguous, cpu());
        for (const Device device : {cpu(), sim()}) {
          all.push_back({trial, layout, device, plain, run(row, trial, operands, layout, device)});
        }
      }
    }
  }
  for (const Submitted& each : all) {
    SCOPED_TRACE(each.trial.text() + ", " + to_string(each.layout) + " on " + to_string(each.device));
    check_same(each.results, each.plain, each.device);
    if (HasFailure()) return;
  }
}

/// The arithmetic of a GPU is its own: its contiguous result is held against the reference, and every other layout must
/// give the same bytes as that. (A product's algorithm is chosen by layout too: there, the values must be right.)
TEST_P(OperatorTable, IsTheSameOnCudaDevices) {
  if (device_count(DeviceKind::cuda) == 0) GTEST_SKIP() << "no CUDA device here";
  const OperatorRow& row = GetParam();
  const Device device = gpu(device_count(DeviceKind::cuda) - 1);
  for (const std::vector<DType>& dtypes : row.dtypes) {
    for (const std::vector<Shape>& shapes : row.shapes) {
      const Trial trial{dtypes, shapes};
      for (const Layout layout : all_layouts) {
        SCOPED_TRACE(trial.text() + ", " + to_string(layout));
        std::vector<Values> operands = make_operands(row, trial);
        if (layout == Layout::repeated) {
          for (Values& values : operands) values = repeat_first_row(values);
        }
        const std::vector<Tensor> plain = run(row, trial, operands, Layout::contiguous, device);
        const std::vector<Tensor> results = run(row, trial, operands, layout, device);
        check_values(row, trial, operands, results);
        if (!row.layout_matters_on_gpus) check_same(results, plain, device);
        if (HasFailure()) return;
      }
    }
  }
}

std::string row_name(const testing::TestParamInfo<OperatorRow>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Unary, OperatorTable, testing::ValuesIn(unary_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Binary, OperatorTable, testing::ValuesIn(binary_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Selection, OperatorTable, testing::ValuesIn(selection_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Reduction, OperatorTable, testing::ValuesIn(reduction_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Order, OperatorTable, testing::ValuesIn(order_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Softmax, OperatorTable, testing::ValuesIn(softmax_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Matrix, OperatorTable, testing::ValuesIn(matrix_rows()), row_name);
INSTANTIATE_TEST_SUITE_P(Indexing, OperatorTable, testing::ValuesIn(indexing_rows()), row_name);

}  // namespace
}  // namespace stretto
