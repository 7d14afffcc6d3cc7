#pragma once

#include <unistd.h>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

/// A file that is gone with the object.
class TimelineFile {
 public:
  explicit TimelineFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "stretto-run-XXXXXX").string();
    close(mkstemp(path_.data()));
    std::ofstream(path_, std::ios::binary) << text;
  }
  TimelineFile(const TimelineFile&) = delete;
  TimelineFile& operator=(const TimelineFile&) = delete;
  ~TimelineFile() { std::filesystem::remove(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The text of a timeline with these events.
template <typename Events>
std::string timeline_text(const Events& events) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const std::string& event : events) {
    text += separator + event;
    separator = ",\n";
  }
  return text + "\n]}\n";
}
