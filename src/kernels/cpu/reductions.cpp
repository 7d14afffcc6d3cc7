#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/chunks.h"
#include "kernels/cpu/element_types.h"
#include "kernels/cpu/reduction_fold.h"
#include "kernels/cpu/scratch.h"
#include "kernels/kernel.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

constexpr std::int64_t results_a_chunk = 8192;

std::int64_t value_size(FoldType type) {
  return visit_fold_type(type, []<class T>(std::type_identity<T>) { return static_cast<std::int64_t>(sizeof(T)); });
}

// What sums, products and means are computed in: as wide as the wider of input and output.
FoldType arithmetic_type(DType input, DType output) {
  if (input == DType::float64 || output == DType::float64) return FoldType::float64;
  return is_floating(input) || is_floating(output) ? FoldType::float32 : FoldType::int64;
}

FoldType own_type(DType dtype) { return arithmetic_type(dtype, dtype); }

// Folds all results: `values[r]` is result r. Without elements it is the fold's neutral value.
void fold_all(const Folding& folding, KernelContext& context, std::byte* values) {
  const ReductionPlan& plan = folding.plan;
  const std::int64_t size = value_size(folding.type);
  const std::int64_t blocks = plan.blocks();
  if (blocks <= 1) {
    run_ranges(context, plan.units(), plan.units_a_chunk(),
               [&](std::int64_t begin, std::int64_t end) { fold_units(folding, begin, end, values); });
    return;
  }
  const Scratch partials(static_cast<std::size_t>(plan.results() * blocks * size));
  run_ranges(context, plan.units(), plan.units_a_chunk(),
             [&](std::int64_t begin, std::int64_t end) { fold_units(folding, begin, end, partials.data()); });
  run_ranges(context, plan.results(), std::max<std::int64_t>(1, results_a_chunk / blocks),
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t result = begin; result < end; ++result) {
                 std::byte* const row = partials.data() + result * blocks * size;
                 fold_pairs(folding.fold, folding.type, row, blocks);
                 std::memcpy(values + result * size, row, static_cast<std::size_t>(size));
               }
             });
}

void write_results(const ReductionPlan& plan, FoldType type, const std::byte* values, const Array& output,
                   KernelContext& context) {
  visit_fold_type(type, [&]<class Value>(std::type_identity<Value>) {
    visit_dtype(output.dtype, [&]<class T>(std::type_identity<T>) {
      const Value* const from = reinterpret_cast<const Value*>(values);
      run_ranges(context, plan.results(), 4 * results_a_chunk, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t result = begin; result < end; ++result) {
          output.as<T>()[plan.output_offset(result)] = convert<T>(from[result]);
        }
      });
    });
  });
}

// Divides sums in place; integers become float64. Returns what the values are then.
FoldType divide(FoldType type, std::byte* values, std::int64_t count, double divisor) {
  const auto divide_as = [&]<class Sum, class Quotient>(std::type_identity<Sum>, std::type_identity<Quotient>) {
    static_assert(sizeof(Sum) == sizeof(Quotient));
    for (std::int64_t i = 0; i < count; ++i) {
      Sum sum;
      std::memcpy(&sum, values + i * static_cast<std::int64_t>(sizeof(Sum)), sizeof(Sum));
      const Quotient quotient = static_cast<Quotient>(sum) / static_cast<Quotient>(divisor);
      std::memcpy(values + i * static_cast<std::int64_t>(sizeof(Sum)), &quotient, sizeof(Sum));
    }
  };
  if (type == FoldType::float32) {
    divide_as(std::type_identity<float>{}, std::type_identity<float>{});
    return type;
  }
  if (type == FoldType::float64) {
    divide_as(std::type_identity<double>{}, std::type_identity<double>{});
  } else {
    divide_as(std::type_identity<std::int64_t>{}, std::type_identity<double>{});
  }
  return FoldType::float64;
}

Scratch scratch_for_results(const ReductionPlan& plan, FoldType type) {
  return Scratch(static_cast<std::size_t>(plan.results() * value_size(type)));
}

template <Fold fold, auto type_of>
void fold_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const ReductionPlan plan(input, output);
  const FoldType type = type_of(input.dtype, output.dtype);
  const Scratch values = scratch_for_results(plan, type);
  fold_all({plan, input, fold, type}, context, values.data());
  write_results(plan, type, values.data(), output, context);
}

FoldType input_type(DType input, DType) { return own_type(input); }
FoldType truth_type(DType, DType) { return FoldType::truth; }

// The mean of integers is taken of their exact sum, in float64.
void mean_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const ReductionPlan plan(input, output);
  const FoldType type = is_floating(input.dtype) ? arithmetic_type(input.dtype, output.dtype) : FoldType::int64;
  const Scratch values = scratch_for_results(plan, type);
  fold_all({plan, input, Fold::sum, type}, context, values.data());
  const FoldType quotient = divide(type, values.data(), plan.results(), static_cast<double>(plan.reduced()));
  write_results(plan, quotient, values.data(), output, context);
}

// In two passes, so that values far from zero lose nothing: first the means, then the squared distances from them.
void variance_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const ReductionPlan plan(input, output);
  const double correction = call.parameters.get<VarianceParameters>().correction;
  const FoldType type = is_floating(input.dtype) ? arithmetic_type(input.dtype, output.dtype) : FoldType::float64;
  const Scratch means = scratch_for_results(plan, type);
  const Scratch values = scratch_for_results(plan, type);
  fold_all({plan, input, Fold::sum, type}, context, means.data());
  divide(type, means.data(), plan.results(), static_cast<double>(plan.reduced()));
  fold_all({plan, input, Fold::sum, type, means.data()}, context, values.data());
  divide(type, values.data(), plan.results(), std::max(0.0, static_cast<double>(plan.reduced()) - correction));
  write_results(plan, type, values.data(), output, context);
}

// The position, in order, of the largest or smallest element: the first one of several, or the first NaN.
template <Fold fold>
void position_kernel(const KernelCall& call, KernelContext& context) {
  const Array& input = call.inputs[0];
  const Array& output = call.outputs[0];
  const ReductionPlan plan(input, output);
  const FoldType type = own_type(input.dtype);
  const Folding folding{plan, input, fold, type};
  const std::int64_t blocks = plan.blocks();
  const Scratch partials(static_cast<std::size_t>(plan.results() * blocks * value_size(type)));
  run_ranges(context, plan.units(), plan.units_a_chunk(),
             [&](std::int64_t begin, std::int64_t end) { fold_units(folding, begin, end, partials.data()); });
  visit_fold_type(type, [&]<class Value>(std::type_identity<Value>) {
    // Before the extreme found so far: further out, or the first NaN.
    const auto beats = [](Value value, Value extreme) {
      if (value != value) return extreme == extreme;
      return fold == Fold::maximum ? value > extreme : value < extreme;
    };
    const std::int64_t grain = std::max<std::int64_t>(1, results_a_chunk / (blocks + plan.terms(0)));
    run_ranges(context, plan.results(), grain, [&](std::int64_t begin, std::int64_t end) {
      alignas(64) Value elements[ReductionPlan::block];
      const auto first_extreme = [&](const Value* values, std::int64_t count) {
        std::int64_t position = 0;
        for (std::int64_t i = 1; i < count; ++i) position = beats(values[i], values[position]) ? i : position;
        return position;
      };
      for (std::int64_t result = begin; result < end; ++result) {
        const std::int64_t block = first_extreme(partials.as<Value>() + result * blocks, blocks);
        load_block(folding, result, block, reinterpret_cast<std::byte*>(elements));
        output.as<std::int64_t>()[plan.output_offset(result)] =
            block * ReductionPlan::block + first_extreme(elements, plan.terms(block));
      }
    });
  });
}

const KernelRegistration registrations[] = {
    {"sum", DeviceKind::cpu, &fold_kernel<Fold::sum, arithmetic_type>},
    {"prod", DeviceKind::cpu, &fold_kernel<Fold::product, arithmetic_type>},
    {"max", DeviceKind::cpu, &fold_kernel<Fold::maximum, input_type>},
    {"min", DeviceKind::cpu, &fold_kernel<Fold::minimum, input_type>},
    {"any", DeviceKind::cpu, &fold_kernel<Fold::maximum, truth_type>},
    {"all", DeviceKind::cpu, &fold_kernel<Fold::minimum, truth_type>},
    {"mean", DeviceKind::cpu, &mean_kernel},
    {"var", DeviceKind::cpu, &variance_kernel},
    {"argmax", DeviceKind::cpu, &position_kernel<Fold::maximum>},
    {"argmin", DeviceKind::cpu, &position_kernel<Fold::minimum>},
};

}  // namespace

}  // namespace stretto
