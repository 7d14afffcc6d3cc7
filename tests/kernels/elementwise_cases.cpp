#include "kernels/elementwise_cases.h"

#include <cmath>
#include <cstdint>

namespace stretto {

namespace {

using Real = const double*;
using Wide = const WideInteger*;
using Bool = const bool*;

double pick_larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : a > b ? a : b; }
double pick_smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? NAN : a < b ? a : b; }

double floored_quotient(double a, double b) {
  return b == 0 ? a / b : static_cast<double>(std::floor(static_cast<long double>(a) / b));
}

double floored_rest(double a, double b) {
  const double rest = std::remainder(a, b);  // between -b/2 and b/2, exact
  return rest != 0 && std::signbit(rest) != std::signbit(b) ? rest + b : rest;
}

WideInteger floored_quotient(WideInteger a, WideInteger b) {
  WideInteger quotient = a / b;
  while (quotient * b > a && b > 0) --quotient;
  while (quotient * b < a && b < 0) --quotient;
  return quotient;
}

WideInteger power(WideInteger x, WideInteger y) {
  unsigned __int128 result = 1;
  for (WideInteger i = 0; i < y; ++i) result *= static_cast<unsigned __int128>(x);
  return static_cast<WideInteger>(result);
}

std::vector<ElementwiseCase> arithmetic() {
  return {
      {"add", 2, [](Real x) { return x[0] + x[1]; }, [](Wide x) { return x[0] + x[1]; },
       [](Bool x) { return x[0] || x[1]; }},
      {"sub", 2, [](Real x) { return x[0] - x[1]; }, [](Wide x) { return x[0] - x[1]; }, {}},
      {"mul", 2, [](Real x) { return x[0] * x[1]; },
       [](Wide x) {
         return static_cast<WideInteger>(static_cast<unsigned __int128>(x[0]) * static_cast<unsigned __int128>(x[1]));
       },
       [](Bool x) { return x[0] && x[1]; }},
      {"div", 2, [](Real x) { return x[0] / x[1]; }, {}, {}},
      {.name = "floor_divide",
       .inputs = 2,
       .real = [](Real x) { return floored_quotient(x[0], x[1]); },
       .integer = [](Wide x) { return floored_quotient(x[0], x[1]); },
       .finite_only = true,
       .divides = true},
      {.name = "remainder",
       .inputs = 2,
       .real = [](Real x) { return floored_rest(x[0], x[1]); },
       .integer = [](Wide x) { return x[0] - x[1] * floored_quotient(x[0], x[1]); },
       .finite_only = true,
       .divides = true},
      {.name = "pow",
       .inputs = 2,
       .real = [](Real x) { return std::pow(x[0], x[1]); },
       .integer = [](Wide x) { return power(x[0], x[1]); },
       .approximate = true,
       .small_exponent = true},
      {"maximum", 2, [](Real x) { return pick_larger(x[0], x[1]); }, [](Wide x) { return std::max(x[0], x[1]); },
       [](Bool x) { return x[0] || x[1]; }},
      {"minimum", 2, [](Real x) { return pick_smaller(x[0], x[1]); }, [](Wide x) { return std::min(x[0], x[1]); },
       [](Bool x) { return x[0] && x[1]; }},
  };
}

/// A predicate that has one definition for all types.
template <typename Function>
ElementwiseCase predicate(const std::string& name, int inputs, Function function) {
  return {name,
          inputs,
          [=](Real x) { return function(x) ? 1.0 : 0.0; },
          [=](Wide x) { return function(x) ? 1 : 0; },
          [=](Bool x) { return static_cast<bool>(function(x)); },
          true};
}

std::vector<ElementwiseCase> comparison() {
  return {
      predicate("eq", 2, [](auto x) { return x[0] == x[1]; }),
      predicate("ne", 2, [](auto x) { return x[0] != x[1]; }),
      predicate("lt", 2, [](auto x) { return x[0] < x[1]; }),
      predicate("le", 2, [](auto x) { return x[0] <= x[1]; }),
      predicate("gt", 2, [](auto x) { return x[0] > x[1]; }),
      predicate("ge", 2, [](auto x) { return x[0] >= x[1]; }),
      predicate("logical_and", 2, [](auto x) { return x[0] && x[1]; }),
      predicate("logical_or", 2, [](auto x) { return x[0] || x[1]; }),
      predicate("logical_xor", 2, [](auto x) { return !x[0] != !x[1]; }),
      predicate("logical_not", 1, [](auto x) { return !x[0]; }),
      predicate("isnan", 1, [](auto x) { return x[0] != x[0]; }),
      predicate("isinf", 1, [](auto x) { return std::isinf(static_cast<double>(x[0])); }),
      predicate("isfinite", 1, [](auto x) { return std::isfinite(static_cast<double>(x[0])); }),
      {"bitwise_and", 2, {}, [](Wide x) { return x[0] & x[1]; }, [](Bool x) { return x[0] && x[1]; }},
      {"bitwise_or", 2, {}, [](Wide x) { return x[0] | x[1]; }, [](Bool x) { return x[0] || x[1]; }},
      {"bitwise_xor", 2, {}, [](Wide x) { return x[0] ^ x[1]; }, [](Bool x) { return x[0] != x[1]; }},
      {"bitwise_not", 1, {}, [](Wide x) { return ~x[0]; }, [](Bool x) { return !x[0]; }},
  };
}

std::vector<ElementwiseCase> unary() {
  const auto same = [](Wide x) { return x[0]; };
  return {
      {"neg", 1, [](Real x) { return -x[0]; }, [](Wide x) { return -x[0]; }, {}},
      {"abs", 1, [](Real x) { return std::abs(x[0]); }, [](Wide x) { return x[0] < 0 ? -x[0] : x[0]; }, {}},
      {"sign",
       1,
       [](Real x) { return std::isnan(x[0]) ? NAN : static_cast<double>((x[0] > 0) - (x[0] < 0)); },
       [](Wide x) { return static_cast<WideInteger>((x[0] > 0) - (x[0] < 0)); },
       {}},
      {"square", 1, [](Real x) { return x[0] * x[0]; }, [](Wide x) { return power(x[0], 2); }, {}},
      {"reciprocal", 1, [](Real x) { return 1 / x[0]; }, {}, {}},
      {"sqrt", 1, [](Real x) { return std::sqrt(x[0]); }, {}, {}},
      {"rsqrt", 1, [](Real x) { return 1 / std::sqrt(x[0]); }, {}, {}},
      {"relu",
       1,
       [](Real x) { return std::isnan(x[0]) || x[0] > 0 ? x[0] : 0.0; },
       [](Wide x) { return x[0] > 0 ? x[0] : 0; },
       {}},
      {"floor", 1, [](Real x) { return std::floor(x[0]); }, same, {}},
      {"ceil", 1, [](Real x) { return std::ceil(x[0]); }, same, {}},
      {"trunc", 1, [](Real x) { return std::trunc(x[0]); }, same, {}},
      {"round",
       1,
       [](Real x) {
         const double low = std::floor(x[0]);
         const double up = x[0] - low;
         return up < 0.5 || (up == 0.5 && std::fmod(low, 2) == 0) ? low : up >= 0.5 ? low + 1 : x[0];
       },
       same,
       {}},
  };
}

ElementwiseCase function(const std::string& name, double (*real)(double)) {
  return {.name = name, .inputs = 1, .real = [=](Real x) { return real(x[0]); }, .approximate = true};
}

std::vector<ElementwiseCase> functions() {
  return {
      function("exp", std::exp),
      function("expm1", std::expm1),
      function("log", std::log),
      function("log1p", std::log1p),
      function("log2", std::log2),
      function("sin", std::sin),
      function("cos", std::cos),
      function("tan", std::tan),
      function("tanh", std::tanh),
      function("erf", std::erf),
      function("sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }),
  };
}

std::vector<ElementwiseCase> backward() {
  return {
      {"relu_backward", 2, [](Real x) { return x[1] > 0 || std::isnan(x[1]) ? x[0] : 0.0; }, {}, {}},
      {.name = "sigmoid_backward",
       .inputs = 2,
       .real = [](Real x) { return x[0] * ((1 - x[1]) * x[1]); },
       .approximate = true,
       .finite_only = true},
      {.name = "tanh_backward",
       .inputs = 2,
       .real = [](Real x) { return x[0] * (1 - x[1] * x[1]); },
       .approximate = true,
       .finite_only = true},
      {"clamp",
       3,
       [](Real x) { return pick_smaller(pick_larger(x[0], x[1]), x[2]); },
       [](Wide x) { return std::min(std::max(x[0], x[1]), x[2]); },
       {}},
  };
}

}  // namespace

const std::vector<ElementwiseCase>& elementwise_cases() {
  static const std::vector<ElementwiseCase> all = [] {
    std::vector<ElementwiseCase> cases;
    for (const auto& family : {arithmetic(), comparison(), unary(), functions(), backward()}) {
      cases.insert(cases.end(), family.begin(), family.end());
    }
    return cases;
  }();
  return all;
}

}  // namespace stretto
