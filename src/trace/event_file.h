#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "trace/event_text.h"

namespace stretto::trace {

/// The file of a recording: an event a line, the comma at the end of the line before, so that it can be read up to its
/// last whole line wherever it was cut off.
class EventFile {
 public:
  /// Empties the file, or makes it. Throws FileError when it cannot be written, or is being written by another process.
  explicit EventFile(std::string path);
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  ~EventFile();

  /// Begins a line: the event is written to what is returned, at most so many bytes, and `end_event` told its end.
  char* begin_event(std::size_t most_bytes) {
    if (capacity_ - size_ < most_bytes + 2) grow(most_bytes + 2);
    char* at = &text_[size_];
    if (any_) *at++ = ',';
    *at++ = '\n';
    return at;
  }
  void end_event(const char* end) {
    any_ = true;
    size_ = static_cast<std::size_t>(end - &text_[0]);
  }
  /// A whole line.
  void write_event(std::string_view event) { end_event(put(begin_event(event.size()), event)); }
  std::size_t unwritten() const { return size_; }
  /// Hands what there is over to the system. An error is told by `close`, and nothing is written from then on.
  void flush();
  /// Ends the file. Throws FileError when it is not complete.
  void close();
  /// In the child after a fork: the file is the parent's.
  void abandon();

 private:
  void grow(std::size_t bytes);
  void write_text(std::string_view text);

  const std::string path_;
  int descriptor_;
  int error_ = 0;
  bool any_ = false;
  // What is not written yet. No string, which would write zeros first wherever something is to be put.
  std::unique_ptr<char[]> text_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace stretto::trace
