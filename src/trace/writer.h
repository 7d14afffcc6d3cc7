#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stretto::trace {

/// What a recording asks the engine for. Any thread.
class Source {
 public:
  struct DeviceNote {
    std::string name;
    const char* unit;  ///< "workers" or "streams".
    int count;
  };
  struct Counter {
    std::string name;
    const char* unit;
    std::uint64_t value;
  };

  virtual ~Source() = default;
  virtual const char* engine() const = 0;
  virtual std::vector<DeviceNote> devices() = 0;
  /// What is so at this moment. Cheap: it is asked again and again while the recording lasts.
  virtual std::vector<Counter> counters() = 0;
};
/// The engine, once it is made. Lives as long as the process.
void set_source(Source& source);

/// Begins a recording: a thread writes the file as the run goes. Throws FileError when the file cannot be written,
/// UsageError when a recording is under way.
void start(const std::string& path);
/// Ends the recording, and returns when the file is complete. Throws FileError when it could not be written. Without a
/// recording: does nothing.
void stop();
/// What is made of the recording of the whole run once it is complete: a floor above says what. `path` is the
/// recording's.
using Finish = void (*)(const std::string& path);
/// To be set before main begins.
void set_finish(Finish finish);
/// What was set; nullptr where nothing was.
Finish finish();
/// A number of its own for each recording of the process, from 1.
std::uint64_t session_number();
/// In the child after a fork: the recording is the parent's.
void forget_after_fork();

}  // namespace stretto::trace
