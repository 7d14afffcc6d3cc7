#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "base/prefetch.h"

namespace stretto {

/// A queue whose elements come to lie in the same places again and again. So where one thread appends and another takes
/// away, appending allocates nothing, and the line of the next element can be asked for beforehand. Of types that can
/// be default-constructed; what was taken away is assigned over later.
template <typename T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// From the front on.
  T& operator[](std::size_t i) { return places_[(first_ + i) & (capacity_ - 1)]; }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size_ - 1]; }

  void push_back(T element) {
    if (size_ == capacity_) grow();
    (*this)[size_] = std::move(element);
    ++size_;
  }
  void pop_front() {
    first_ = (first_ + 1) & (capacity_ - 1);
    --size_;
  }
  /// Asks for the line of the element that is appended next.
  void prefetch_next() {
    if (size_ < capacity_) prefetch_for_write(&(*this)[size_]);
  }

 private:
  void grow() {
    const std::size_t larger = capacity_ == 0 ? 64 : 2 * capacity_;
    auto places = std::make_unique<T[]>(larger);
    for (std::size_t i = 0; i < size_; ++i) places[i] = std::move((*this)[i]);
    places_ = std::move(places);
    first_ = 0;
    capacity_ = larger;
  }

  std::unique_ptr<T[]> places_;
  std::size_t first_ = 0, size_ = 0;
  std::size_t capacity_ = 0;  ///< A power of two, or nothing yet.
};

}  // namespace stretto
