#include "trace/event_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <stretto/base/error.h>

namespace stretto::trace {
namespace {

[[noreturn]] void throw_unwritable(const std::string& path, const std::string& why) {
  throw FileError("cannot write the timeline to " + path + ": " + why);
}

}  // namespace

EventFile::EventFile(std::string path)
    : path_(std::move(path)), descriptor_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) throw_unwritable(path_, std::strerror(errno));
  // Programs that a program starts have its environment, STRETTO_TRACE included.
  struct stat what{};
  if (fstat(descriptor_, &what) == 0 && S_ISREG(what.st_mode) && flock(descriptor_, LOCK_EX | LOCK_NB) != 0 &&
      errno == EWOULDBLOCK) {
    ::close(std::exchange(descriptor_, -1));
    throw_unwritable(path_, "another process is writing it");
  }
  // What is no plain file cannot be cut short, and need not be.
  if (ftruncate(descriptor_, 0) != 0 && errno != EINVAL) error_ = errno;
  write_text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

EventFile::~EventFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void EventFile::grow(std::size_t bytes) {
  const std::size_t capacity = std::max(size_ + bytes, 2 * capacity_);
  auto grown = std::make_unique_for_overwrite<char[]>(capacity);
  std::copy_n(text_.get(), size_, grown.get());
  text_ = std::move(grown);
  capacity_ = capacity;
}

void EventFile::write_text(std::string_view text) {
  if (capacity_ - size_ < text.size()) grow(text.size());
  size_ = static_cast<std::size_t>(put(&text_[size_], text) - &text_[0]);
}

void EventFile::flush() {
  std::size_t written = 0;
  while (error_ == 0 && written < size_) {
    const ssize_t count = write(descriptor_, &text_[written], size_ - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  size_ = 0;
}

void EventFile::close() {
  write_text("\n]}\n");
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) throw_unwritable(path_, std::strerror(error_));
}

void EventFile::abandon() { ::close(std::exchange(descriptor_, -1)); }

}  // namespace stretto::trace
