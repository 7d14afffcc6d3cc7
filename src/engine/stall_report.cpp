#include "engine/stall_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/scheduler.h"
#include "ordering/point.h"

namespace stretto {
namespace {

constexpr std::size_t most_listed = 4;    // tasks of one lane
constexpr std::size_t most_chains = 8;    // told
constexpr std::size_t longest_chain = 8;  // links told, half of them from each end

enum class State { waits, ready, no_memory, issued, runs };

/// What is known of one pending task.
struct Entry {
  Task::Kind kind;
  std::string text;  ///< "add at program.cpp:3".
  Device device;
  std::uint64_t sequence;
  Point point;
  State state;
  const Task* after = nullptr;  ///< What it waits for, or the earliest of that.
  bool awaited = false;         ///< Somebody waits for it.
};
using Entries = std::map<const Task*, Entry>;

std::string name_of(const Task& task) {
  const std::string place = to_string(task.site());
  return std::string(task.name) + (place.empty() ? "" : " at " + place);
}

State state_of(const Task& task, const Point& point) {
  const bool begun = (task.state.load(std::memory_order_acquire) & Task::begun) != 0;
  // The body of a GPU's task is over once it is issued.
  if (begun && task.device_kind != DeviceKind::cuda) return State::runs;
  if (point) return State::issued;
  const std::uint32_t pending = task.pending.load(std::memory_order_acquire);
  if (pending == Task::queued) return State::ready;
  if (pending == 0 || pending == Task::claimed || pending == Task::claimed_early) return State::no_memory;
  return State::waits;
}

Entries gather(Scheduler& scheduler) {
  Entries entries;
  const SpinLockGuard lock(scheduler.recording());
  TaskSlab& slab = scheduler.slab();
  for (std::uint32_t slot = 0; slot < slab.used(); ++slot) {
    Task& task = slab.at(slot);
    if (task.successors.load(std::memory_order_acquire) == closed_list) continue;
    const Point point = Point::from_bits(task.point.load(std::memory_order_acquire));
    entries.emplace(&task, Entry{task.kind, name_of(task), Device(task.device_kind, task.device_index), task.sequence,
                                 point, state_of(task, point)});
  }
  for (auto& [task, entry] : entries) {
    const auto visit = [&entries, &entry = entry](const Task& predecessor) {
      const auto found = entries.find(&predecessor);
      if (found == entries.end()) return;
      found->second.awaited = true;
      if (entry.after == nullptr || found->second.sequence < entries.at(entry.after).sequence)
        entry.after = &predecessor;
    };
    auto& pending = const_cast<Task&>(*task);
    scheduler.for_each_wait_inside(pending, visit);
    if (entry.state != State::runs) scheduler.for_each_pending_predecessor(pending, visit);
  }
  return entries;
}

/// What is issued comes behind what was issued before it in its lane, if nothing else holds it up.
void tie_lanes(Entries& entries) {
  std::map<std::pair<LaneId, std::uint64_t>, Entries::iterator> issued;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (entry->second.point)
      issued.emplace(std::pair(entry->second.point.lane(), entry->second.point.sequence()), entry);
  for (auto place = issued.begin(); place != issued.end(); ++place) {
    Entry& entry = place->second->second;
    if (entry.state != State::issued || entry.after != nullptr || place == issued.begin()) continue;
    const auto before = std::prev(place);
    if (before->first.first != place->first.first) continue;
    entry.after = before->second->first;
    before->second->second.awaited = true;
  }
}

std::string list(std::vector<const Entry*> tasks) {
  std::ranges::sort(tasks, {}, &Entry::sequence);
  std::string text;
  for (std::size_t i = 0; i < tasks.size() && i < most_listed; ++i) text += (i == 0 ? "" : ", ") + tasks[i]->text;
  if (tasks.size() > most_listed) text += " and " + std::to_string(tasks.size() - most_listed) + " more";
  return text;
}

std::string role_text(LaneRole role, int number) {
  switch (role) {
    case LaneRole::to_host: return "copies to the host";
    case LaneRole::from_host: return "copies from the host";
    case LaneRole::peer: return "copies to other devices";
    case LaneRole::compute: break;
  }
  return "stream " + std::to_string(number);
}

/// "runs a; ready: b", of those entries for which `condition` holds; empty where there are none.
template <typename Condition>
std::string describe_lane(const Entries& entries, Condition condition) {
  std::string text;
  for (const auto& [state, title] :
       {std::pair(State::runs, "runs "), std::pair(State::issued, "issued: "), std::pair(State::ready, "ready: "),
        std::pair(State::no_memory, "no memory for: ")}) {
    std::vector<const Entry*> tasks;
    for (const auto& [task, entry] : entries)
      if (entry.kind == Task::Kind::normal && entry.state == state && condition(entry)) tasks.push_back(&entry);
    if (!tasks.empty()) text += (text.empty() ? "" : "; ") + (title + list(tasks));
  }
  return text;
}

void describe_lanes(Scheduler& scheduler, const Entries& entries, std::vector<std::string>& lines) {
  scheduler.devices().for_each([&](EngineDevice& device) {
    const auto add = [&](const std::string& lane, const std::string& text) {
      if (!text.empty()) lines.push_back(to_string(device.device) + lane + ": " + text);
    };
    int streams = 0;
    for (const Lane* lane : device.backend->lanes(device.device.index())) {
      std::string name = " ";
      name += role_text(lane->role(), lane->role() == LaneRole::compute ? streams++ : 0);
      add(name,
          describe_lane(entries, [&](const Entry& entry) { return entry.point && entry.point.lane() == lane->id(); }));
    }
    add("", describe_lane(entries, [&](const Entry& entry) { return !entry.point && entry.device == device.device; }));
  });
}

std::string describe_chain(const Entries& entries, Entries::const_iterator first) {
  std::vector<std::string> links;
  const Entry* last = nullptr;
  // A chain is no longer than there are tasks, unless it bites its own tail.
  for (std::size_t i = 0; i <= entries.size(); ++i) {
    last = &first->second;
    if (last->kind == Task::Kind::normal) {
      links.push_back(last->text + " (" + to_string(last->device) + ")");
    } else if (last->kind == Task::Kind::wait) {
      links.push_back(last->text);
    }
    if (last->after == nullptr) break;
    first = entries.find(last->after);
  }
  if (links.size() < 2) return {};
  std::string text;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (links.size() > longest_chain && i == longest_chain / 2) {
      const std::size_t left_out = links.size() - longest_chain;
      text += ", " + std::to_string(left_out) + " more between";
      i += left_out;
    }
    text += (i == 0 ? "" : i == 1 ? " waits for " : ", that for ") + links[i];
  }
  if (last->state == State::runs) text += ", which runs";
  if (last->state == State::ready) text += ", which is ready";
  if (last->state == State::no_memory) text += ", for which there is no memory";
  return text;
}

void describe_chains(const Entries& entries, std::vector<std::string>& lines) {
  std::vector<Entries::const_iterator> ends;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (!entry->second.awaited) ends.push_back(entry);
  std::ranges::sort(
      ends, {}, [](const auto& end) { return std::pair(end->second.kind != Task::Kind::wait, end->second.sequence); });
  std::size_t told = 0;
  std::size_t left_out = 0;
  for (const auto& end : ends) {
    std::string chain = describe_chain(entries, end);
    if (chain.empty()) continue;
    if (told < most_chains) {
      ++told;
      lines.push_back(std::move(chain));
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) lines.push_back("and " + std::to_string(left_out) + " more that nothing waits for");
}

}  // namespace

std::vector<std::string> describe_stall(Scheduler& scheduler) {
  Entries entries = gather(scheduler);
  tie_lanes(entries);
  const auto tasks = std::ranges::count(entries, Task::Kind::normal, [](const auto& one) { return one.second.kind; });
  if (tasks == 0) return {};
  std::vector<std::string> lines{std::to_string(tasks) + (tasks == 1 ? " is pending" : " are pending")};
  describe_lanes(scheduler, entries, lines);
  describe_chains(entries, lines);
  return lines;
}

}  // namespace stretto
