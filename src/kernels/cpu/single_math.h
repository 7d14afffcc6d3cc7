#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <hwy/base.h>

/// Functions of float32 numbers, computed in double: argument and result are doubles that stand for float32 values, the
/// relative error is below 2^-32, so that rounding the result to float32 is off by at most 0.51 units in the last
/// place.
///
/// There is no branch, no table and no fused multiply-add in them. So a compiler turns a loop over any of them into
/// vector code, and the same argument gives the same bits in every lane, every tail and on every instruction set.
namespace stretto::single_math {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
inline constexpr double log2_of_e = 1.4426950408889634;
inline constexpr double ln_2 = 0.69314718055994531;
inline constexpr double pi = 3.1415926535897932;

/// Adding it to a double below 2^51 leaves the nearest integer in the low bits.
inline constexpr double integer_shift = 0x1.8p52;

HWY_INLINE std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
HWY_INLINE double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }

/// A NaN stays one.
HWY_INLINE double clamp(double x, double low, double high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

/// c[0] + c[1] x + c[2] x^2 + ...
template <int count>
HWY_INLINE double polynomial(double x, const double (&c)[count]) {
  double sum = c[count - 1];
#pragma GCC unroll 32
  for (int i = count - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

/// 2^k for the integer that `shifted` = k + integer_shift carries in its low bits, -1022 <= k <= 1023.
HWY_INLINE double power_of_two(double shifted) { return from_bits((bits(shifted) << 52) + bits(1.0)); }

/// (e^r - 1) / r for |r| <= ln(2) / 2: the Taylor series.
HWY_INLINE double expm1_over(double r) {
  constexpr double c[] = {1.0,       1.0 / 2,    1.0 / 6,     1.0 / 24,     1.0 / 120,
                          1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800};
  return polynomial(r, c);
}

/// e^x for |x| up to 700, or a NaN.
HWY_INLINE double bounded_exp(double x) {
  const double shifted = x * log2_of_e + integer_shift;
  const double r = x - (shifted - integer_shift) * ln_2;
  return (r * expm1_over(r) + 1) * power_of_two(shifted);
}

// Beyond these bounds a float32 result is zero or infinite.
HWY_INLINE double exp(double x) { return bounded_exp(clamp(x, -110, 90)); }

HWY_INLINE double expm1(double x) {
  const double clamped = clamp(x, -40, 90);
  const double shifted = clamped * log2_of_e + integer_shift;
  const double r = clamped - (shifted - integer_shift) * ln_2;
  const double scale = power_of_two(shifted);
  return std::copysign(r * expm1_over(r) * scale + (scale - 1), x);
}

HWY_INLINE double sigmoid(double x) { return 1 / (1 + bounded_exp(-clamp(x, -110, 110))); }

HWY_INLINE double tanh(double x) {
  const double e = single_math::expm1(clamp(2 * x, -40, 40));
  return e / (e + 2);
}

/// A positive number as 2^exponent * (1 + fraction), with 1 + fraction between sqrt(1/2) and sqrt(2).
struct Decomposed {
  double exponent;
  double fraction;
};

HWY_INLINE Decomposed decompose(double x) {
  constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
  constexpr std::uint64_t square_root_of_half = 0x3fe6a09e667f3bcd;
  const std::uint64_t biased = (bits(x) + (one - square_root_of_half)) >> 52;
  // Without a conversion from 64-bit integers, which AVX2 lacks: the integer is put behind the exponent of 2^52.
  const double exponent = from_bits(biased | bits(0x1p52)) - (0x1p52 + 1023);
  return {exponent, from_bits(bits(x) - (biased << 52) + one) - 1};
}

/// ln(1 + f) for 1 + f between sqrt(1/2) and sqrt(2): the series of 2 artanh(f / (2 + f)).
HWY_INLINE double log_of_one_plus(double f) {
  const double s = f / (2 + f);
  constexpr double c[] = {2.0, 2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15};
  return s * polynomial(s * s, c);
}

/// What every logarithm is at and beyond the ends of its range.
HWY_INLINE double logarithm_limits(double x, double inside) {
  inside = x == infinity ? infinity : inside;
  inside = x == 0 ? -infinity : inside;
  return x >= 0 ? inside : not_a_number;
}

HWY_INLINE double log(double x) {
  const Decomposed d = decompose(x);
  return logarithm_limits(x, d.exponent * ln_2 + log_of_one_plus(d.fraction));
}

HWY_INLINE double log2(double x) {
  const Decomposed d = decompose(x);
  return logarithm_limits(x, d.exponent + log_of_one_plus(d.fraction) * log2_of_e);
}

HWY_INLINE double log1p(double x) {
  const Decomposed d = decompose(1 + x);
  const double f = d.exponent == 0 ? x : d.fraction;  // 1 + x loses the end of a small x
  const double inside = d.exponent * ln_2 + log_of_one_plus(f);
  return x == 0 ? x : logarithm_limits(1 + x, inside);
}

/// The largest argument of sin, cos and tan below: up to here their reduction is exact enough.
inline constexpr double largest_angle = 1e6;

/// An angle as quarter turns, in the low bits of `shifted`, and a rest between -pi/4 and pi/4.
struct ReducedAngle {
  std::uint64_t quarter_turns;
  double rest;
};

HWY_INLINE ReducedAngle reduce_angle(double x) {
  constexpr double quarter_turn = pi / 2;
  constexpr double high = 0x1.921fb544p0;  // so few bits that a product with a number of turns is exact
  constexpr double low = 0x1.0b4611a626331p-34;
  const double shifted = x * (1 / quarter_turn) + integer_shift;
  const double turns = shifted - integer_shift;
  return {bits(shifted), (x - turns * high) - turns * low};
}

HWY_INLINE double sin_series(double r) {
  constexpr double c[] = {1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
  return r * polynomial(r * r, c);
}

HWY_INLINE double cos_series(double r) {
  constexpr double c[] = {1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600};
  return polynomial(r * r, c);
}

HWY_INLINE double sin(double x) {
  const ReducedAngle angle = reduce_angle(x);
  const double value = (angle.quarter_turns & 1) != 0 ? cos_series(angle.rest) : sin_series(angle.rest);
  const double signed_value = from_bits(bits(value) ^ ((angle.quarter_turns & 2) << 62));
  return x == 0 ? x : signed_value;
}

HWY_INLINE double cos(double x) {
  const ReducedAngle angle = reduce_angle(x);
  const double value = (angle.quarter_turns & 1) != 0 ? sin_series(angle.rest) : cos_series(angle.rest);
  return from_bits(bits(value) ^ (((angle.quarter_turns + 1) & 2) << 62));
}

HWY_INLINE double tan(double x) {
  const ReducedAngle angle = reduce_angle(x);
  const double sine = sin_series(angle.rest);
  const double cosine = cos_series(angle.rest);
  const double value = (angle.quarter_turns & 1) != 0 ? -cosine / sine : sine / cosine;
  return x == 0 ? x : value;
}

/// x times a polynomial in x^2: the Chebyshev interpolant of erf(sqrt(z)) / sqrt(z) on 0 <= z <= 16, in u = z / 8 - 1.
HWY_INLINE double erf(double x) {
  constexpr double c[] = {
      0.353530995643404964,     -0.176576233214237591,     0.131675116866319034,     -0.107710448909523306,
      0.090208996190700599,     -0.0747277283751746561,    0.0598868602251339278,    -0.0457664634662105605,
      0.0330610736634755462,    -0.0224662637072430967,    0.0143472168964371046,    -0.00862983298380185348,
      0.00486125745231388916,   -0.00253067210641396173,   0.00127707280575837299,   -0.000672797579793854436,
      0.000295138437046612626,  -0.0000724615214463804824, 0.0000329793838189831253, -0.0000366836064535481208,
      0.0000128740546982242243,
  };
  x = clamp(x, -4, 4);  // from 3.92 on a float32 is 1
  return x * polynomial(x * x * 0.125 - 1, c);
}

/// x^y for finite y and positive or negative finite x; the rest is for std::pow.
HWY_INLINE double pow(double x, double y) {
  const Decomposed d = decompose(std::fabs(x));
  const double exponent = clamp(y * (d.exponent + log_of_one_plus(d.fraction) * log2_of_e), -160, 160);
  const double shifted = exponent + integer_shift;
  const double r = (exponent - (shifted - integer_shift)) * ln_2;
  const double magnitude = (r * expm1_over(r) + 1) * power_of_two(shifted);
  const double half = y * 0.5;
  const double even_or_odd = std::floor(half) == half ? magnitude : -magnitude;
  const double of_negative = std::floor(y) == y ? even_or_odd : not_a_number;
  return x < 0 ? of_negative : magnitude;
}

}  // namespace stretto::single_math
