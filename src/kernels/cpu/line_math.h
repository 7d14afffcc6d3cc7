#pragma once

#include <cstdint>

#include <stretto/core/dtype.h>

namespace stretto {

// What softmax and its kin do to one line of numbers: they compute in float64 whatever the dtype. Sums have the same
// order of terms for every layout and instruction set.

/// Whether exponentials of this dtype are computed as exactly as float64 allows, or as float32 does.
inline bool needs_float64(DType dtype) { return dtype == DType::float64; }

struct Exponentials {
  double largest;  // of the line; NaN if one is
  double sum;
};

/// result[i] = exp(line[i] - largest), and their sum. The two may be the same.
Exponentials exponentials(const double* line, std::int64_t count, bool in_float64, double* result);

/// The same of each of `lines` lines of `count` numbers, one behind the other: several short lines at once take less
/// time than one by one.
void exponentials(const double* first, std::int64_t lines, std::int64_t count, bool in_float64, double* results,
                  Exponentials* all);

/// line[i] = exp(line[i]).
void exponentiate(double* line, std::int64_t count, bool in_float64);

/// The sum of a[i], and of a[i] * b[i].
double line_sum(const double* a, std::int64_t count);
double line_dot(const double* a, const double* b, std::int64_t count);

}  // namespace stretto
