#include <algorithm>
#include <cmath>

#include <stretto/ops/matmul.h>
#include <stretto/ops/triangle.h>

#include "ops/broadcasting.h"
#include "ops/operator_row.h"

namespace stretto {

namespace {

/// (rows, depth) @ (depth, columns) of two runs of numbers.
void multiply(const double* a, const double* b, std::int64_t rows, std::int64_t depth, std::int64_t columns,
              std::vector<double>& out) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      long double total = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        total += static_cast<long double>(a[i * depth + k]) * b[k * columns + j];
      }
      out.push_back(static_cast<double>(total));
    }
  }
}

/// As the documentation of PyTorch says: vectors become matrices, leading axes are broadcast.
Values product_of(const Values& left, const Values& right) {
  Shape a = left.shape, b = right.shape;
  if (left.shape.rank() == 1) a.insert(0, 1);
  if (right.shape.rank() == 1) b.push_back(1);
  const std::int64_t rows = a[a.rank() - 2], depth = a[a.rank() - 1], columns = b[b.rank() - 1];
  Shape batch(IndexList::filled(std::max(a.rank(), b.rank()) - 2, 1));
  for (const Shape& shape : {a, b}) {
    for (int axis = 0; axis < shape.rank() - 2; ++axis) {
      if (shape[axis] != 1) batch[batch.rank() - shape.rank() + 2 + axis] = shape[axis];
    }
  }
  Shape full_a = batch, full_b = batch;
  full_a.push_back(rows), full_a.push_back(depth);
  full_b.push_back(depth), full_b.push_back(columns);
  const std::vector<double> numbers_a = broadcast_numbers({a, left.numbers}, full_a);
  const std::vector<double> numbers_b = broadcast_numbers({b, right.numbers}, full_b);
  Values result{batch, {}};
  if (left.shape.rank() > 1) result.shape.push_back(rows);
  if (right.shape.rank() > 1) result.shape.push_back(columns);
  for (std::int64_t i = 0; i < batch.numel(); ++i) {
    multiply(numbers_a.data() + i * rows * depth, numbers_b.data() + i * depth * columns, rows, depth, columns,
             result.numbers);
  }
  return result;
}

Values transpose(const Values& x) {
  Values result{{x.shape[1], x.shape[0]}, {}};
  for (std::int64_t i = 0; i < x.shape[1]; ++i) {
    for (std::int64_t j = 0; j < x.shape[0]; ++j) {
      result.numbers.push_back(x.numbers[static_cast<std::size_t>(j * x.shape[1] + i)]);
    }
  }
  return result;
}

OperatorRow matrix_row(const std::string& name, OperatorRow::Call call, OperatorRow::Reference reference,
                       std::vector<std::vector<Shape>> shapes, Range range) {
  OperatorRow row;
  row.name = name;
  row.call = std::move(call);
  row.reference = std::move(reference);
  row.result_types = same_type();
  row.dtypes = alike(number_dtypes, static_cast<int>(shapes[0].size()));
  row.ranges = std::vector<Range>(shapes[0].size(), range);
  row.shapes = std::move(shapes);
  row.tolerance = 4;
  row.scale = 60;
  row.layout_matters_on_gpus = true;
  return row;
}

OperatorRow triangle(const std::string& name, Tensor (*call)(const Operand&, std::int64_t), std::int64_t diagonal,
                     const std::function<bool(std::int64_t, std::int64_t)>& kept) {
  OperatorRow row;
  row.name = name;
  row.call = [call, diagonal](const std::vector<Tensor>& x) { return std::vector{call(x[0], diagonal)}; };
  row.reference = [kept](const std::vector<Values>& x) {
    Values result = x[0];
    const int rank = result.shape.rank();
    const std::int64_t rows = result.shape[rank - 2], columns = result.shape[rank - 1];
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      if (!kept(i / columns % rows, i % columns)) result.numbers[static_cast<std::size_t>(i)] = 0;
    }
    return std::vector{result};
  };
  row.result_types = same_type();
  row.dtypes = alike(all_dtypes, 1);
  row.shapes = {{Shape{3, 3}}, {Shape{2, 5}}, {Shape{5, 2}},  {Shape{2, 4, 3}},
                {Shape{0, 3}}, {Shape{2, 0}}, {Shape{70, 90}}};
  row.ranges = {{1, 4}};
  return row;
}

}  // namespace

std::vector<OperatorRow> matrix_rows() {
  using X = const std::vector<Tensor>&;
  using V = const std::vector<Values>&;
  const auto scaled_sum = [](double alpha, double beta) {
    return [alpha, beta](V x) {
      Values result = product_of(x[1], x[2]);
      const std::vector<double> added = broadcast_numbers(x[0], result.shape);
      for (std::size_t i = 0; i < added.size(); ++i) result.numbers[i] = beta * added[i] + alpha * result.numbers[i];
      return std::vector{result};
    };
  };
  const auto relu_of = [](std::vector<Values> results) {
    for (double& number : results[0].numbers) number = number <= 0 ? 0 : number;
    return results;
  };
  const auto gated_product = [](V x) {
    Values result = product_of(x[0], x[1]);
    for (std::size_t i = 0; i < result.numbers.size(); ++i)
      if (x[2].numbers[i] <= 0) result.numbers[i] = 0;
    return std::vector{result};
  };
  const auto floats_only = [](OperatorRow row) {
    row.dtypes = alike(floating_dtypes, static_cast<int>(row.shapes[0].size()));
    return row;
  };
  const auto linear_of = [](V x) {
    Values result = product_of(x[0], transpose(x[1]));
    if (x.size() < 3) return std::vector{result};
    const std::vector<double> added = broadcast_numbers(x[2], result.shape);
    for (std::size_t i = 0; i < added.size(); ++i) result.numbers[i] += added[i];
    return std::vector{result};
  };
  return {
      matrix_row(
          "matmul", [](X x) { return std::vector{matmul(x[0], x[1])}; },
          [](V x) { return std::vector{product_of(x[0], x[1])}; },
          {{Shape{2, 3}, Shape{3, 4}},
           {Shape{1, 1}, Shape{1, 1}},
           {Shape{3}, Shape{3}},
           {Shape{3}, Shape{3, 4}},
           {Shape{2, 3}, Shape{3}},
           {Shape{5, 2, 3}, Shape{3, 4}},
           {Shape{2, 3}, Shape{5, 3, 4}},
           {Shape{5, 1, 2, 3}, Shape{4, 3, 2}},
           {Shape{3}, Shape{5, 3, 4}},
           {Shape{5, 2, 3}, Shape{3}},
           {Shape{2, 0}, Shape{0, 3}},
           {Shape{0, 2}, Shape{2, 3}},
           {Shape{3, 2, 0}, Shape{3, 0, 3}},
           {Shape{3, 0, 0}, Shape{0, 0}},
           {Shape{0}, Shape{0}},
           {Shape{67, 130}, Shape{130, 71}},
           {Shape{3, 40, 50}, Shape{3, 50, 30}}},
          {-2, 2}),
      matrix_row("addmm", [](X x) { return std::vector{addmm(x[0], x[1], x[2])}; }, scaled_sum(1, 1),
                 {{Shape{2, 4}, Shape{2, 3}, Shape{3, 4}},
                  {Shape{4}, Shape{2, 3}, Shape{3, 4}},
                  {Shape{2, 1}, Shape{2, 3}, Shape{3, 4}},
                  {Shape{}, Shape{2, 3}, Shape{3, 4}},
                  {Shape{3}, Shape{2, 0}, Shape{0, 3}},
                  {Shape{71}, Shape{67, 130}, Shape{130, 71}}},
                 {-2, 2}),
      matrix_row("addmm_with_factors", [](X x) { return std::vector{addmm(x[0], x[1], x[2], 3, 2)}; }, scaled_sum(2, 3),
                 {{Shape{4}, Shape{2, 3}, Shape{3, 4}}, {Shape{1, 3}, Shape{2, 0}, Shape{0, 3}}}, {-2, 2}),
      matrix_row("linear", [](X x) { return std::vector{linear(x[0], x[1], x[2])}; }, linear_of,
                 {{Shape{2, 3}, Shape{4, 3}, Shape{4}},
                  {Shape{3}, Shape{4, 3}, Shape{4}},
                  {Shape{2, 5, 3}, Shape{4, 3}, Shape{4}},
                  {Shape{0, 3}, Shape{4, 3}, Shape{4}},
                  {Shape{2, 0}, Shape{4, 0}, Shape{4}},
                  {Shape{50, 100}, Shape{30, 100}, Shape{30}}},
                 {-2, 2}),
      matrix_row("linear_without_bias", [](X x) { return std::vector{linear(x[0], x[1])}; }, linear_of,
                 {{Shape{2, 3}, Shape{4, 3}}, {Shape{3}, Shape{4, 3}}, {Shape{2, 5, 3}, Shape{4, 3}}}, {-2, 2}),
      // Where a sum is so near to zero that rounding decides its sign, zero is near, too.
      matrix_row(
          "addmm_relu", [](X x) { return std::vector{addmm_relu(x[0], x[1], x[2])}; },
          [=](V x) { return relu_of(scaled_sum(1, 1)(x)); },
          {{Shape{4}, Shape{2, 3}, Shape{3, 4}},
           {Shape{2, 1}, Shape{2, 3}, Shape{3, 4}},
           {Shape{3}, Shape{2, 0}, Shape{0, 3}},
           {Shape{71}, Shape{67, 130}, Shape{130, 71}}},
          {-2, 2}),
      matrix_row(
          "linear_relu", [](X x) { return std::vector{linear_relu(x[0], x[1], x[2])}; },
          [=](V x) { return relu_of(linear_of(x)); },
          {{Shape{2, 3}, Shape{4, 3}, Shape{4}},
           {Shape{3}, Shape{4, 3}, Shape{4}},
           {Shape{2, 5, 3}, Shape{4, 3}, Shape{4}},
           {Shape{0, 3}, Shape{4, 3}, Shape{4}},
           {Shape{50, 100}, Shape{30, 100}, Shape{30}}},
          {-2, 2}),
      floats_only(matrix_row("matmul_relu_backward",
                             [](X x) { return std::vector{matmul_relu_backward(x[0], x[1], x[2])}; }, gated_product,
                             {{Shape{2, 3}, Shape{3, 4}, Shape{2, 4}},
                              {Shape{2, 0}, Shape{0, 3}, Shape{2, 3}},
                              {Shape{0, 2}, Shape{2, 3}, Shape{0, 3}},
                              {Shape{67, 130}, Shape{130, 71}, Shape{67, 71}}},
                             {-2, 2})),
      triangle("tril", &tril, 0, [](std::int64_t i, std::int64_t j) { return j <= i; }),
      triangle("tril_below", &tril, -1, [](std::int64_t i, std::int64_t j) { return j <= i - 1; }),
      triangle("triu", &triu, 0, [](std::int64_t i, std::int64_t j) { return j >= i; }),
      triangle("triu_above", &triu, 2, [](std::int64_t i, std::int64_t j) { return j >= i + 2; }),
  };
}

}  // namespace stretto
