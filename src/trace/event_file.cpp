#include "trace/event_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

EventFile::~EventFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string& EventFile::begin_event() {
  if (any_) text_ += ',';
  any_ = true;
  text_ += '\n';
  return text_;
}

void EventFile::flush() {
  std::size_t written = 0;
  while (error_ == 0 && written < text_.size()) {
    const ssize_t count = write(descriptor_, text_.data() + written, text_.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  text_.clear();
}

void EventFile::close() {
  text_ += "\n]}\n";
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) throw_unwritable(path_, std::strerror(error_));
}

void EventFile::abandon() { ::close(std::exchange(descriptor_, -1)); }

}  // namespace stretto::trace
