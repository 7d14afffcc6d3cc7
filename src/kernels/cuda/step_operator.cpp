#include "kernels/cuda/step_operator.h"

#include <algorithm>
#include <iterator>

#include "kernels/rules/elementwise_operators.h"

namespace stretto {
namespace {

#define STRETTO_STEP(name, Op) {name, #Op},
#define STRETTO_FUNCTION_STEP(name, Op) {name, #Op, true},
constexpr StepOperator step_operators[] = {
    STRETTO_ARITHMETIC_OPERATORS(STRETTO_STEP)         //
    STRETTO_COMPARISON_OPERATORS(STRETTO_STEP)         //
    STRETTO_UNARY_OPERATORS(STRETTO_STEP)              //
    STRETTO_BACKWARD_OPERATORS(STRETTO_STEP)           //
    STRETTO_FUNCTION_OPERATORS(STRETTO_FUNCTION_STEP)  //
    {"clamp", "Clamp"},
};
#undef STRETTO_STEP
#undef STRETTO_FUNCTION_STEP

}  // namespace

const StepOperator* find_step_operator(std::string_view name) {
  const auto* const found = std::ranges::find(step_operators, name, &StepOperator::name);
  return found == std::end(step_operators) ? nullptr : found;
}

}  // namespace stretto
