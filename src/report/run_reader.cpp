#include <fmt/format.h>
#include <stretto/report/run.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <stretto/base/error.h>

#include "report/run_builder.h"

namespace stretto::report {
namespace {

/// How a file with one event a line begins.
constexpr std::string_view opening = R"({"displayTimeUnit":"ns","traceEvents":[)";

FileError no_timeline(const std::string& path, const std::string& reason) {
  return FileError(fmt::format("{} is no timeline: {}", path, reason));
}

/// A timeline file being read, front to back.
class Reader {
 public:
  Reader(const std::string& path, const Progress& progress) : path_(path), progress_(progress), file_(path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
      throw FileError(fmt::format("cannot read {}: it is a folder", path));
    if (!file_) throw FileError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    size_ = std::filesystem::file_size(path, error);
    if (error) size_ = 0;
  }

  Run read() {
    std::string first;
    const bool is_whole = next(first);
    if (first.empty() && !is_whole) throw FileError(fmt::format("{} is empty", path_));
    if (!is_whole && opening.starts_with(first)) return cut();
    if (is_whole && first == opening) return read_lines();
    return read_document(1);
  }

 private:
  /// The next line, without what ends it; false when nothing ends it.
  bool next(std::string& line) {
    line.clear();
    std::getline(file_, line);
    if (file_.bad()) throw FileError(fmt::format("{} cannot be read to its end: {}", path_, std::strerror(errno)));
    const bool is_whole = !file_.eof();
    done_ += line.size() + 1;
    ++number_;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (progress_ && size_ > 0 && number_ % 1024 == 0) {
      progress_(static_cast<double>(done_) / static_cast<double>(size_));
    }
    return is_whole;
  }

  Run cut() {
    Run run = finish();
    run.cut = true;
    return run;
  }

  Run finish() {
    try {
      return builder_.finish();
    } catch (const FileError& error) {
      throw no_timeline(path_, error.what());
    }
  }

  Run read_lines() {
    std::string line;
    while (true) {
      const bool is_whole = next(line);
      if (line == "]}") return finish();
      if (!line.empty() && line.back() == ',') line.pop_back();
      if (!line.empty()) {
        const nlohmann::json event = nlohmann::json::parse(line, nullptr, false);
        if (event.is_discarded()) {
          if (!is_whole) return cut();
          return read_document(number_);
        }
        add(event, "line", number_);
      }
      if (!is_whole) return cut();
    }
  }

  void add(const nlohmann::json& event, const char* what, std::size_t number) {
    try {
      builder_.add(event);
    } catch (const FileError& error) {
      throw no_timeline(path_, fmt::format("{} {}: {}", what, number, error.what()));
    }
  }

  /// The whole file at once; `suspect` is the line that was no event of its own.
  Run read_document(std::size_t suspect) {
    builder_ = RunBuilder();
    file_.clear();
    file_.seekg(0);
    const nlohmann::json document = nlohmann::json::parse(file_, nullptr, false);
    if (document.is_discarded()) throw no_timeline(path_, fmt::format("it is not JSON (see line {})", suspect));
    const bool has_events = document.is_object() && document.contains("traceEvents");
    const nlohmann::json& events = has_events ? document["traceEvents"] : document;
    if (!events.is_array())
      throw no_timeline(path_, "it is JSON, but neither an array nor an object of \"traceEvents\"");
    std::size_t number = 0;
    for (const nlohmann::json& event : events) add(event, "event", ++number);
    return finish();
  }

  const std::string& path_;
  const Progress& progress_;
  std::ifstream file_;
  std::size_t size_ = 0;
  std::size_t done_ = 0;
  std::size_t number_ = 0;
  RunBuilder builder_;
};

}  // namespace

Run read_run(const std::string& path, const Progress& progress) { return Reader(path, progress).read(); }

}  // namespace stretto::report
