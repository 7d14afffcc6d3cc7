#include "ordering/region.h"

#include <algorithm>

namespace stretto {

void ReaderList::remove_finished(const AccessSink& sink) {
  TaskReference* readers = data();
  TaskReference* end =
      std::remove_if(readers, readers + count_, [&](TaskReference reader) { return sink.finished(reader); });
  count_ = static_cast<std::uint32_t>(end - readers);
}

void ReaderList::add_to_full(TaskReference reader, AccessSink& sink) {
  remove_finished(sink);
  if (count_ >= join_capacity) {
    // A variable that everybody reads and nobody writes: one task stands for the readers so far, so that the list stays
    // short and the next writer has few edges.
    const TaskReference joined = sink.join(view());
    count_ = 0;
    data()[count_++] = joined;
  }
  if (2 * count_ >= capacity_) {
    const std::uint32_t larger = std::max(capacity_ * 2, std::uint32_t{8});
    auto* items = new TaskReference[larger];
    std::copy_n(data(), count_, items);
    if (capacity_ > inline_capacity) delete[] storage_.heap;
    storage_.heap = items;
    capacity_ = larger;
  }
  data()[count_++] = reader;
}

}  // namespace stretto
