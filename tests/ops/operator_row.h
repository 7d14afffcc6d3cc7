#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <stretto/core/dtype.h>
#include <stretto/core/shape.h>
#include <stretto/tensor/tensor.h>

#include "ops/values.h"

namespace stretto {

/// Bounds of the numbers that an operand of a row is given.
struct Range {
  double low = -4;
  double high = 4;
};

/// One operator of the table in operator_table_test.cpp: how it is called, what it must compute, and on what it is
/// tried.
struct OperatorRow {
  using Call = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  /// In double, from the values of the operands: the values of each result.
  using Reference = std::function<std::vector<Values>(const std::vector<Values>&)>;
  /// The types of the results for these types of operands.
  using ResultTypes = std::function<std::vector<DType>(const std::vector<DType>&)>;

  std::string name;  ///< Letters, digits and underscores.
  Call call;
  Reference reference;
  ResultTypes result_types;
  std::vector<std::vector<DType>> dtypes;  ///< Each: the types of the operands of one trial.
  /// Of these, the ones that are tried in all layouts; all of them where this is empty.
  std::vector<std::vector<DType>> layout_dtypes;
  std::vector<std::vector<Shape>> shapes;  ///< Each: the shapes of the operands of one trial.
  std::vector<Range> ranges;               ///< One for each operand.
  /// How far results of floating types may be from the reference: in units of the type's epsilon, relative to the
  /// result or to `scale`, whichever is larger. The first 0.5 is the rounding to the type itself.
  double tolerance = 0.5;
  double scale = std::numeric_limits<double>::min();
  /// Floating operands also get NaN, infinities and zeros of both signs.
  bool specials = false;
  /// Whether a GPU may round differently where operands lie differently.
  bool layout_matters_on_gpus = false;
};

/// For the names that a failing test prints.
std::ostream& operator<<(std::ostream& stream, const OperatorRow& row);

/// The rows, by family; each in the file of its name.
std::vector<OperatorRow> unary_rows();
std::vector<OperatorRow> binary_rows();
std::vector<OperatorRow> selection_rows();
std::vector<OperatorRow> reduction_rows();
std::vector<OperatorRow> order_rows();
std::vector<OperatorRow> softmax_rows();
std::vector<OperatorRow> matrix_rows();
std::vector<OperatorRow> indexing_rows();

inline const std::vector<DType> all_dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                              DType::int32,   DType::int64,   DType::uint8,   DType::bool_};
inline const std::vector<DType> number_dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16,
                                                 DType::int32,   DType::int64,   DType::uint8};
inline const std::vector<DType> floating_dtypes = {DType::float32, DType::float64, DType::float16, DType::bfloat16};
inline const std::vector<DType> bit_dtypes = {DType::int32, DType::int64, DType::uint8, DType::bool_};

/// Trials in which `operands` operands all have one of `dtypes`.
std::vector<std::vector<DType>> alike(const std::vector<DType>& dtypes, int operands);

/// Shapes of one operand, from rank 0 to 4, without elements among them.
std::vector<std::vector<Shape>> single_shapes();

// Rules for the type of one result.
OperatorRow::ResultTypes same_type();  ///< that of the last operand
OperatorRow::ResultTypes always(DType dtype);
OperatorRow::ResultTypes floating_type();           ///< that of the last operand, float32 for integers and bool
OperatorRow::ResultTypes total_type();              ///< that of the last operand, int64 for integers and bool
OperatorRow::ResultTypes promoted_type();           ///< of operands that all have axes: PyTorch's table
OperatorRow::ResultTypes promoted_floating_type();  ///< the same, float32 for integers and bool

}  // namespace stretto
