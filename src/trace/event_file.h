#pragma once

#include <cstddef>
#include <string>

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

  /// Begins a line: append the event to what is returned.
  std::string& begin_event();
  std::size_t unwritten() const { return text_.size(); }
  /// Hands what there is over to the system. An error is told by `close`, and nothing is written from then on.
  void flush();
  /// Ends the file. Throws FileError when it is not complete.
  void close();
  /// In the child after a fork: the file is the parent's.
  void abandon();

 private:
  const std::string path_;
  int descriptor_;
  int error_ = 0;
  bool any_ = false;
  std::string text_;
};

}  // namespace stretto::trace
