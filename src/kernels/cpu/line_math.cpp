#include "kernels/cpu/line_math.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/single_math.h"
#include "kernels/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/line_math.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stretto {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t lanes = 16;

// `fold` over all of `term(i)`, in interleaved lanes that are folded in halves at the end.
template <typename Term, typename Fold>
HWY_INLINE double fold_line(std::int64_t count, double neutral, Term term, Fold fold) {
  double folded[lanes];
  for (double& value : folded) value = neutral;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) folded[lane] = fold(folded[lane], term(i + lane));
  }
  for (std::int64_t lane = 0; i + lane < count; ++lane) folded[lane] = fold(folded[lane], term(i + lane));
  for (std::int64_t half = lanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) folded[lane] = fold(folded[lane], folded[lane + half]);
  }
  return folded[0];
}

template <typename Term>
HWY_INLINE double sum_line(std::int64_t count, Term term) {
  return fold_line(count, 0, term, [](double a, double b) { return a + b; });
}

void Exponentiate(double* line, std::int64_t count, bool in_float64) {
  if (in_float64) {
    for (std::int64_t i = 0; i < count; ++i) line[i] = std::exp(line[i]);
  } else {
    for (std::int64_t i = 0; i < count; ++i) line[i] = single_math::exp(line[i]);
  }
}

void ExponentialsOf(const double* first, std::int64_t lines, std::int64_t count, bool in_float64, double* results,
                    Exponentials* all) {
  for (std::int64_t j = 0; j < lines; ++j) {
    const double* const line = first + j * count;
    double* const result = results + j * count;
    const double largest = fold_line(
        count, -std::numeric_limits<double>::infinity(), [&](std::int64_t i) { return line[i]; },
        [](double a, double b) { return (a >= b) | (a != a) ? a : b; });
    for (std::int64_t i = 0; i < count; ++i) result[i] = line[i] - largest;
    all[j].largest = largest;
  }
  Exponentiate(results, lines * count, in_float64);
  for (std::int64_t j = 0; j < lines; ++j)
    all[j].sum = sum_line(count, [&](std::int64_t i) { return results[j * count + i]; });
}

double LineSum(const double* a, std::int64_t count) {
  return sum_line(count, [&](std::int64_t i) { return a[i]; });
}

double LineDot(const double* a, const double* b, std::int64_t count) {
  return sum_line(count, [&](std::int64_t i) { return a[i] * b[i]; });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace stretto
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stretto {

HWY_EXPORT(ExponentialsOf);
HWY_EXPORT(Exponentiate);
HWY_EXPORT(LineSum);
HWY_EXPORT(LineDot);

Exponentials exponentials(const double* line, std::int64_t count, bool in_float64, double* result) {
  Exponentials one{};
  exponentials(line, 1, count, in_float64, result, &one);
  return one;
}

void exponentials(const double* first, std::int64_t lines, std::int64_t count, bool in_float64, double* results,
                  Exponentials* all) {
  HWY_DYNAMIC_DISPATCH(ExponentialsOf)(first, lines, count, in_float64, results, all);
}

void exponentiate(double* line, std::int64_t count, bool in_float64) {
  HWY_DYNAMIC_DISPATCH(Exponentiate)(line, count, in_float64);
}

double line_sum(const double* a, std::int64_t count) { return HWY_DYNAMIC_DISPATCH(LineSum)(a, count); }

double line_dot(const double* a, const double* b, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(LineDot)(a, b, count);
}

}  // namespace stretto
#endif
