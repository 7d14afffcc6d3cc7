#include "ops/operator_row.h"

#include <algorithm>
#include <ostream>

namespace stretto {

std::ostream& operator<<(std::ostream& stream, const OperatorRow& row) { return stream << row.name; }

std::vector<std::vector<DType>> alike(const std::vector<DType>& dtypes, int operands) {
  std::vector<std::vector<DType>> trials;
  for (const DType dtype : dtypes) trials.emplace_back(operands, dtype);
  return trials;
}

std::vector<std::vector<Shape>> single_shapes() {
  return {{Shape{}},           {Shape{1}}, {Shape{17}},      {Shape{3, 5}},  {Shape{2, 3, 4}},
          {Shape{2, 1, 3, 2}}, {Shape{0}}, {Shape{2, 0, 3}}, {Shape{41, 67}}};
}

namespace {

std::size_t position(DType dtype) {
  constexpr DType order[] = {DType::bool_,   DType::uint8,    DType::int32,   DType::int64,
                             DType::float16, DType::bfloat16, DType::float32, DType::float64};
  return static_cast<std::size_t>(std::find(std::begin(order), std::end(order), dtype) - std::begin(order));
}

/// What `torch.promote_types` gives, written down.
DType promoted(DType a, DType b) {
  constexpr DType b1 = DType::bool_, u1 = DType::uint8, i4 = DType::int32, i8 = DType::int64, f2 = DType::float16,
                  bf = DType::bfloat16, f4 = DType::float32, f8 = DType::float64;
  constexpr DType table[8][8] = {
      {b1, u1, i4, i8, f2, bf, f4, f8}, {u1, u1, i4, i8, f2, bf, f4, f8}, {i4, i4, i4, i8, f2, bf, f4, f8},
      {i8, i8, i8, i8, f2, bf, f4, f8}, {f2, f2, f2, f2, f2, f4, f4, f8}, {bf, bf, bf, bf, f4, bf, f4, f8},
      {f4, f4, f4, f4, f4, f4, f4, f8}, {f8, f8, f8, f8, f8, f8, f8, f8},
  };
  return table[position(a)][position(b)];
}

DType promoted(const std::vector<DType>& dtypes) {
  DType result = dtypes.front();
  for (const DType dtype : dtypes) result = promoted(result, dtype);
  return result;
}

bool is_real(DType dtype) { return position(dtype) >= position(DType::float16); }

}  // namespace

OperatorRow::ResultTypes same_type() {
  return [](const std::vector<DType>& dtypes) { return std::vector{dtypes.back()}; };
}

OperatorRow::ResultTypes always(DType dtype) {
  return [dtype](const std::vector<DType>&) { return std::vector{dtype}; };
}

OperatorRow::ResultTypes floating_type() {
  return [](const std::vector<DType>& dtypes) {
    return std::vector{is_real(dtypes.back()) ? dtypes.back() : DType::float32};
  };
}

OperatorRow::ResultTypes total_type() {
  return [](const std::vector<DType>& dtypes) {
    return std::vector{is_real(dtypes.back()) ? dtypes.back() : DType::int64};
  };
}

OperatorRow::ResultTypes promoted_type() {
  return [](const std::vector<DType>& dtypes) { return std::vector{promoted(dtypes)}; };
}

OperatorRow::ResultTypes promoted_floating_type() {
  return [](const std::vector<DType>& dtypes) {
    const DType common = promoted(dtypes);
    return std::vector{is_real(common) ? common : DType::float32};
  };
}

}  // namespace stretto
