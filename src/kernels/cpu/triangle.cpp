#include <algorithm>
#include <string>

#include <stretto/base/error.h>

#include "kernels/cpu/elementwise_loop.h"
#include "kernels/cpu/strided_copy.h"
#include "kernels/parameters.h"

namespace stretto {

namespace {

/// Where row `row`, counted over all leading dimensions, begins.
std::byte* find_row(const Array& array, const Array& shaped, std::int64_t row) {
  std::int64_t offset = 0;
  for (int axis = shaped.rank - 2; axis >= 0; --axis) {
    offset += row % shaped.shape[axis] * array.strides[axis];
    row /= shaped.shape[axis];
  }
  return array.data + offset * static_cast<std::int64_t>(item_size(array.dtype));
}

/// Copies each row's columns from `kept_begin(row)` to `kept_end(row)`, and makes the others zero.
template <bool lower>
void triangle(const KernelCall& call, KernelContext& context) {
  const Array& output = call.outputs[0];
  const Array& input = call.inputs[0];
  if (output.rank < 2) throw ShapeError("a matrix is needed, not " + std::to_string(output.rank) + " dimensions");
  const std::int64_t rows = output.shape[output.rank - 2];
  const std::int64_t columns = output.shape[output.rank - 1];
  const std::int64_t diagonal = std::clamp(call.parameters.get<TriangleParameters>().diagonal, -rows, columns);
  const std::int64_t total = output.numel();
  if (total == 0) return;
  const std::int64_t all_rows = total / columns;
  const std::int64_t chunk_rows = std::max<std::int64_t>(1, cheap_grain / columns);

  const std::int64_t size = static_cast<std::int64_t>(item_size(output.dtype));
  const std::int64_t output_stride = output.strides[output.rank - 1] * size;
  const std::int64_t input_stride = input.constant ? 0 : input.strides[output.rank - 1] * size;
  constexpr std::byte zero[8] = {};

  const auto run_chunk = [&](std::int64_t chunk) {
    const std::int64_t end = std::min(all_rows, (chunk + 1) * chunk_rows);
    for (std::int64_t row = chunk * chunk_rows; row < end; ++row) {
      std::byte* to = find_row(output, output, row);
      const std::byte* from = input.constant ? input.data : find_row(input, output, row);
      // Column - row = diagonal is the last one that tril keeps and the first one that triu keeps.
      const std::int64_t border = std::clamp<std::int64_t>(row % rows + diagonal + (lower ? 1 : 0), 0, columns);
      const std::int64_t kept = lower ? 0 : border;
      const std::int64_t cleared = lower ? border : 0;
      const std::int64_t kept_count = lower ? border : columns - border;
      strided_copy({to + kept * output_stride, 0, output_stride}, {from + kept * input_stride, 0, input_stride}, 1,
                   kept_count, size);
      strided_copy({to + cleared * output_stride, 0, output_stride}, {zero, 0, 0}, 1, columns - kept_count, size);
    }
  };
  const std::int64_t chunks = (all_rows + chunk_rows - 1) / chunk_rows;
  if (chunks == 1) return run_chunk(0);
  context.parallel_for(chunks, run_chunk);
}

const KernelRegistration registrations[] = {
    {"tril", DeviceKind::cpu, &triangle<true>},
    {"triu", DeviceKind::cpu, &triangle<false>},
};

}  // namespace

}  // namespace stretto
