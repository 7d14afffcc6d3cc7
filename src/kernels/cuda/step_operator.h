#pragma once

#include <string_view>

namespace stretto {

/// How a kernel that is written for a pass names an operator.
struct StepOperator {
  std::string_view name;
  std::string_view type;     ///< In the headers of kernels.
  bool is_function = false;  ///< Computed in many steps, which another version of CUDA may round differently.
};

/// Null where there is no type for it.
const StepOperator* find_step_operator(std::string_view name);

}  // namespace stretto
