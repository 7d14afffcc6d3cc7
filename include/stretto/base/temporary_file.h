#pragma once

#include <string>
#include <string_view>

#include <stretto/base/export.h>

namespace stretto {

/// A new file in the folder for temporary files (TMPDIR, or /tmp), which only its user may open and which is gone with
/// the object. No other file of this process or another ever has its name while it is there. Not copied to a child of
/// a fork: only one of the two processes may destroy it.
class STRETTO_API TemporaryFile {
 public:
  /// Makes the file and writes `text` into it; `use`, a word, becomes part of its name. Throws FileError.
  explicit TemporaryFile(std::string_view use, std::string_view text = {});
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  /// Removes the file, if it is still there; what fails then is nobody's to handle.
  ~TemporaryFile();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace stretto
