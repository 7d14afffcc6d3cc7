#include "kernels/cpu/index_order.h"

#include <algorithm>

#include <stretto/core/shape.h>

#include "kernels/cpu/strided_copy.h"

namespace stretto {

namespace {

constexpr std::int64_t block = 512;

bool is_contiguous(const Array& array) {
  std::int64_t expected = 1;
  for (int axis = array.rank - 1; axis >= 0; --axis) {
    if (array.shape[axis] != 1 && array.strides[axis] != expected) return false;
    expected *= array.shape[axis];
  }
  return true;
}

/// Walks the elements of a strided array from one index on.
class Cursor {
 public:
  Cursor(const Array& array, std::int64_t first)
      : array_(array), size_(static_cast<std::int64_t>(item_size(array.dtype))), place_(array.data) {
    for (int axis = array.rank - 1; axis >= 0; --axis) {
      position_[axis] = first % array.shape[axis];
      first /= array.shape[axis];
      place_ += position_[axis] * array.strides[axis] * size_;
    }
  }

  /// Writes the next `count` elements.
  void write(const std::byte* source, std::int64_t count) {
    const int last = array_.rank - 1;
    const std::int64_t stride = array_.strides[last] * size_;
    while (count > 0) {
      const std::int64_t run = std::min(count, array_.shape[last] - position_[last]);
      strided_copy({place_, 0, stride}, {source, 0, size_}, 1, run, size_);
      source += run * size_;
      count -= run;
      advance(run);
    }
  }

 private:
  void advance(std::int64_t steps) {
    for (int axis = array_.rank - 1; axis >= 0; --axis) {
      position_[axis] += steps;
      place_ += steps * array_.strides[axis] * size_;
      if (position_[axis] < array_.shape[axis]) return;
      place_ -= position_[axis] * array_.strides[axis] * size_;
      position_[axis] = 0;
      steps = 1;
    }
  }

  const Array& array_;
  std::int64_t size_;
  std::byte* place_;
  std::int64_t position_[max_rank];
};

}  // namespace

void fill_in_index_order(const Array& output, KernelContext& context, std::int64_t grain,
                         FunctionRef<void(std::int64_t, std::int64_t, std::byte*)> generate) {
  const std::int64_t total = output.numel();
  const bool contiguous = is_contiguous(output);
  const auto fill_chunk = [&](std::int64_t chunk) {
    const std::int64_t begin = chunk * grain;
    const std::int64_t end = std::min(total, begin + grain);
    if (contiguous)
      return generate(begin, end - begin, output.data + begin * static_cast<std::int64_t>(item_size(output.dtype)));
    alignas(64) std::byte buffer[block * 8];
    Cursor cursor(output, begin);
    for (std::int64_t first = begin; first < end; first += block) {
      const std::int64_t count = std::min(block, end - first);
      generate(first, count, buffer);
      cursor.write(buffer, count);
    }
  };
  if (total == 0) return;
  if (total <= grain) return fill_chunk(0);
  context.parallel_for((total + grain - 1) / grain, fill_chunk);
}

}  // namespace stretto
