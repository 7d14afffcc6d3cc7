#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stretto {

/// The lowest common denominator of the integer types, wide enough that their arithmetic does not overflow.
using WideInteger = __int128;

/// An elementwise operator and an independent definition of it: in double for floating types, in 128-bit integers (cut
/// to the type afterwards, which is wrapping) for integers, in bool. An absent definition means that the operator
/// refuses the type.
struct ElementwiseCase {
  std::string name;
  int inputs;
  std::function<double(const double*)> real = nullptr;
  std::function<WideInteger(const WideInteger*)> integer = nullptr;
  std::function<bool(const bool*)> boolean = nullptr;
  bool predicate = false;       // the result is bool
  bool approximate = false;     // a float32 may be off by one unit in the last place
  bool finite_only = false;     // infinities have a test of their own
  bool divides = false;         // an integer 0 as the last input is an error
  bool small_exponent = false;  // integers: the last input is between 0 and 70
};

/// One for each operator whose inputs have one type.
const std::vector<ElementwiseCase>& elementwise_cases();

}  // namespace stretto
