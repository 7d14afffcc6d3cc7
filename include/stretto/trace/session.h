#pragma once

#include <string>

#include <stretto/base/export.h>

namespace stretto::trace {

/// Records a timeline of what the process does while it lives: all devices and threads. The file is written as the run
/// goes, so that it can be read even if the program does not get to its end.
///
///     { st::trace::Session session("run.json"); train(); st::wait_all(); }
///
/// A task is in the file when it was submitted and has ended while the session was open: wait before you close it.
class STRETTO_API Session {
 public:
  /// Throws FileError when the file cannot be written, UsageError when a recording is under way already, by another
  /// session or by STRETTO_TRACE.
  explicit Session(const std::string& path);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  /// Closes it; what goes wrong is logged.
  ~Session();

  /// Ends the recording, and returns when the file is complete. Throws FileError when it could not be written, as on a
  /// full disk. Again: does nothing.
  void close();

 private:
  bool open_ = true;
};

}  // namespace stretto::trace
