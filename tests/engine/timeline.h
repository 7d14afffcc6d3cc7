#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace stretto {

/// What the file holds.
std::string text_of(const std::string& path);

/// A recorded run, read by a strict parser.
struct Timeline {
  /// One of the tracks' slices. Times in nanoseconds.
  struct Slice {
    std::string name;
    std::string track;
    std::int64_t begin;
    std::int64_t end;
    nlohmann::json arguments;
    std::uint64_t id() const { return arguments.at("id"); }
  };

  /// Throws where the text is no JSON.
  explicit Timeline(const std::string& text);

  nlohmann::json head;       ///< What the first event says of the run.
  std::vector<Slice> tasks;  ///< By id.
  std::vector<Slice> waits;
  std::map<std::string, std::vector<nlohmann::json>> counters;
  std::vector<std::pair<nlohmann::json, nlohmann::json>> flows;
  std::uint64_t dropped = 0;
  std::vector<std::string> faults;  ///< What breaks the rules that all timelines obey.

  const Slice& task(const std::string& name) const;
  /// The dependencies by names: "b raw a", each once. Reuse of memory is left out.
  std::set<std::string> graph() const;
  /// For programs whose tasks have the same names: by their places in the order of submission.
  std::vector<std::vector<std::string>> graph_by_place() const;
};

}  // namespace stretto
