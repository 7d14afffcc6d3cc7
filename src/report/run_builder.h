#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stretto/report/run.h>

namespace stretto::report {

/// Makes a run of the events of a timeline file, which come in any order.
class RunBuilder {
 public:
  /// Throws FileError, which says what is wrong but not where, for what is no event.
  void add(const nlohmann::json& event);
  /// The run; the builder is empty afterwards. Throws FileError for events that contradict each other.
  Run finish();

 private:
  /// The task that the recording calls so.
  struct Reference {
    std::uint64_t id;
    Hazard hazard;
  };
  struct OpenSlice {
    std::string name;
    Nanoseconds start;
  };

  void add_metadata(const nlohmann::json& event);
  void add_slice(const nlohmann::json& event);
  void add_task(Task task, const nlohmann::json& arguments);
  void add_wait(const nlohmann::json& event, const nlohmann::json& arguments);
  void begin_slice(const nlohmann::json& event);
  void end_slice(const nlohmann::json& event);
  void add_counter(const nlohmann::json& event);
  std::size_t track_of(const nlohmann::json& event);
  void number_foreign_tasks();
  void order_tasks();
  void resolve_edges();
  void resolve_waits();
  void order_tracks();

  Run run_;
  std::map<std::string, std::size_t> tracks_;  ///< By process and thread.
  std::map<std::size_t, std::string> track_names_;
  std::vector<std::vector<Reference>> after_;  ///< Of each task of the run.
  std::vector<std::uint64_t> waited_for_;      ///< Of each wait of the run; 0 for none.
  std::unordered_map<std::uint64_t, std::size_t> by_id_;
  std::map<std::string, std::size_t> counters_;
  std::map<std::size_t, std::vector<OpenSlice>> open_;
};

}  // namespace stretto::report
