#include <fcntl.h>
#include <stretto/base/temporary_file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <stretto/base/error.h>

namespace stretto {
namespace {

std::string folder() {
  std::error_code problem;
  const std::filesystem::path found = std::filesystem::temp_directory_path(problem);
  if (problem) throw FileError("there is no folder for temporary files (TMPDIR): " + problem.message());
  return found.string();
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

TemporaryFile::TemporaryFile(std::string_view use, std::string_view text) {
  const std::string in = folder();
  path_ = in + "/stretto-" + std::string(use) + "-XXXXXX";
  const int file = mkostemp(path_.data(), O_CLOEXEC);
  if (file < 0) throw FileError("cannot make a file in " + in + ": " + std::strerror(errno));
  const int problem = write_all(file, text) ? 0 : errno;
  close(file);
  if (problem == 0) return;
  // No destructor follows.
  unlink(path_.c_str());
  throw FileError("cannot write " + path_ + ": " + std::strerror(problem));
}

TemporaryFile::~TemporaryFile() { unlink(path_.c_str()); }

}  // namespace stretto
