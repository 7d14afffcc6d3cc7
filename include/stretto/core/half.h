#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace stretto {

namespace detail {

/// Rounds a float or double to a 16-bit format with this many exponent and fraction bits, once, to nearest with ties to
/// even. Too large becomes infinity; a NaN stays a NaN and becomes quiet. The source must have a wider exponent than
/// the format, so that its own subnormals are far below the format's.
template <int exponent_bits, int fraction_bits, std::floating_point Source>
constexpr std::uint16_t round_to_half(Source value) {
  using Bits = std::conditional_t<sizeof(Source) == 8, std::uint64_t, std::uint32_t>;
  constexpr int source_fraction = std::numeric_limits<Source>::digits - 1;
  constexpr int source_bias = std::numeric_limits<Source>::max_exponent - 1;
  constexpr int source_width = static_cast<int>(sizeof(Source)) * 8;
  constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  constexpr int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
  constexpr Bits source_infinity = static_cast<Bits>(2 * source_bias + 1) << source_fraction;

  const Bits bits = std::bit_cast<Bits>(value);
  const int sign = static_cast<int>(bits >> (source_width - 1)) << 15;
  const Bits magnitude = bits & (~Bits{0} >> 1);
  int shift = source_fraction - fraction_bits;
  if (magnitude > source_infinity) {
    const int payload = static_cast<int>(magnitude >> shift) & ((1 << fraction_bits) - 1);
    return static_cast<std::uint16_t>(sign | infinity | (1 << (fraction_bits - 1)) | payload);
  }
  int exponent = static_cast<int>(magnitude >> source_fraction) - source_bias + bias;
  if (exponent >= (1 << exponent_bits) - 1) return static_cast<std::uint16_t>(sign | infinity);
  if (exponent < 1) {  // the result is subnormal
    shift += 1 - exponent;
    exponent = 1;
    if (shift > source_fraction + 1) return static_cast<std::uint16_t>(sign);
  }
  const Bits one = 1;
  const Bits significand = (magnitude & ((one << source_fraction) - 1)) | (one << source_fraction);
  const Bits rounded = (significand + (one << (shift - 1)) - 1 + ((significand >> shift) & 1)) >> shift;
  // The significand's leading bit counts one exponent, and a carry out of it counts another: up to infinity.
  return static_cast<std::uint16_t>(sign + ((exponent - 1) << fraction_bits) + static_cast<int>(rounded));
}

/// The value as a double that still rounds to a 16-bit format as the integer itself would: bits beyond a double's 53
/// are kept as one odd bit.
template <std::integral Integer>
constexpr double integer_for_rounding(Integer value) {
  if constexpr (sizeof(Integer) == 8) {
    const Integer kept = value & ~Integer{2047};
    if (kept != value && (value >> 53) != 0 && ((value >> 53) + 1) != 0) {
      return static_cast<double>(static_cast<Integer>(kept | Integer{2048}));
    }
  }
  return static_cast<double>(value);
}

}  // namespace detail

/// IEEE binary16: 5 exponent and 10 fraction bits, largest value 65504. A storage type: arithmetic happens in float.
/// Converting to it rounds once, to nearest, ties to even, whatever the source type.
class Float16 {
 public:
  /// The value is not initialised, as for a float.
  Float16() = default;
  constexpr explicit Float16(float value) : bits_(detail::round_to_half<5, 10>(value)) {}
  constexpr explicit Float16(double value) : bits_(detail::round_to_half<5, 10>(value)) {}
  template <std::integral Integer>
  constexpr explicit Float16(Integer value) : Float16(detail::integer_for_rounding(value)) {}

  /// Exact.
  constexpr operator float() const {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits_ & 0x8000u) << 16;
    const std::uint32_t exponent = (bits_ >> 10) & 31u;
    const std::uint32_t fraction = bits_ & 1023u;
    if (exponent == 0) {  // zero or subnormal: a multiple of 2^-24
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
    }
    const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
    return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
  }

  constexpr std::uint16_t bits() const { return bits_; }
  static constexpr Float16 from_bits(std::uint16_t bits) {
    Float16 result{0.0f};
    result.bits_ = bits;
    return result;
  }

 private:
  std::uint16_t bits_;
};

/// bfloat16: the upper half of a float, 8 exponent and 7 fraction bits. A storage type: arithmetic happens in float.
/// Converting to it rounds once, to nearest, ties to even, whatever the source type.
class BFloat16 {
 public:
  /// The value is not initialised, as for a float.
  BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    bits_ = static_cast<std::uint16_t>(is_nan ? (bits >> 16) | 0x40u : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  constexpr explicit BFloat16(double value) : bits_(detail::round_to_half<8, 7>(value)) {}
  template <std::integral Integer>
  constexpr explicit BFloat16(Integer value) : BFloat16(detail::integer_for_rounding(value)) {}

  /// Exact.
  constexpr operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16); }

  constexpr std::uint16_t bits() const { return bits_; }
  static constexpr BFloat16 from_bits(std::uint16_t bits) {
    BFloat16 result{0.0f};
    result.bits_ = bits;
    return result;
  }

 private:
  std::uint16_t bits_;
};

static_assert(sizeof(Float16) == 2 && std::is_trivially_copyable_v<Float16>);
static_assert(sizeof(BFloat16) == 2 && std::is_trivially_copyable_v<BFloat16>);

namespace detail {

/// What the limits of both 16-bit formats share.
template <class Half, int precision, int largest_exponent>
struct HalfLimits {
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = precision;
  static constexpr int digits10 = (precision - 1) * 30103 / 100000;
  static constexpr int max_digits10 = 2 + precision * 30103 / 100000;
  static constexpr int max_exponent = largest_exponent;
  static constexpr int min_exponent = 3 - largest_exponent;
  static constexpr int max_exponent10 = largest_exponent * 30103 / 100000;
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;

  static constexpr int fraction_bits = precision - 1;
  static constexpr int infinity_bits = 0x7fff & ~((1 << fraction_bits) - 1);

  static constexpr Half make(int bits) { return Half::from_bits(static_cast<std::uint16_t>(bits)); }
  static constexpr Half min() noexcept { return make(1 << fraction_bits); }
  static constexpr Half max() noexcept { return make(infinity_bits - 1); }
  static constexpr Half lowest() noexcept { return make(0x8000 | (infinity_bits - 1)); }
  static constexpr Half epsilon() noexcept { return make((largest_exponent - 1 - fraction_bits) << fraction_bits); }
  static constexpr Half round_error() noexcept { return make((largest_exponent - 2) << fraction_bits); }
  static constexpr Half infinity() noexcept { return make(infinity_bits); }
  static constexpr Half quiet_NaN() noexcept { return make(infinity_bits | (1 << (fraction_bits - 1))); }
  static constexpr Half signaling_NaN() noexcept { return make(infinity_bits | 1); }
  static constexpr Half denorm_min() noexcept { return make(1); }
};

}  // namespace detail

}  // namespace stretto

template <>
class std::numeric_limits<stretto::Float16> : public stretto::detail::HalfLimits<stretto::Float16, 11, 16> {};

template <>
class std::numeric_limits<stretto::BFloat16> : public stretto::detail::HalfLimits<stretto::BFloat16, 8, 128> {};
