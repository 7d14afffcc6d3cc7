#include "engine/pass_finder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/mutation.h"
#include "engine/submission.h"

namespace stretto {
namespace {

// So many uses of its buffers between a task and its pass are looked at.
constexpr std::size_t most_looked_at = 64;

}  // namespace

PassFinder::PassFinder(Captured captured, std::span<const std::uint32_t> results)
    : captured_(std::move(captured)),
      is_result_(captured_.slots.size()),
      uses_(captured_.slots.size()),
      users_(captured_.slots.size()),
      root_(captured_.tasks.size(), none) {
  for (const std::uint32_t slot : results) is_result_[slot] = true;
  for (std::uint32_t task = 0; task < captured_.tasks.size(); ++task)
    for (std::uint32_t number = 0; number < captured_.tasks[task].access_count; ++number)
      uses_[access({task, number}).slot].push_back({task, number});
}

Captured PassFinder::join_passes() {
  group();
  for (auto& [root, pass] : passes_)
    if (pass.tasks.size() > 1) make_body(root, pass);
  Captured joined;
  for (std::uint32_t task = 0; task < captured_.tasks.size(); ++task) {
    const auto found = passes_.find(root_[task]);
    if (found == passes_.end() || found->second.body == nullptr) {
      copy_task(joined, task);
    } else if (task == root_[task]) {
      add_pass(joined, task, found->second);
    }
  }
  joined.boxes = std::move(captured_.boxes);
  joined.slots = std::move(captured_.slots);
  joined.argument_slots = std::move(captured_.argument_slots);
  joined.drawing_tasks = captured_.drawing_tasks;
  joined.device = captured_.device;
  return joined;
}

// --- What joins what
// ------------------------------------------------------------------------------------------------------

/// Whether both are accesses to the same bytes.
bool PassFinder::is_same(Use one, Use other) const {
  const Captured::Access &first = access(one), &second = access(other);
  if (first.slot != second.slot) return false;
  if (first.box < 0 || second.box < 0) return first.box == second.box;
  return captured_.boxes[static_cast<std::size_t>(first.box)] == captured_.boxes[static_cast<std::size_t>(second.box)];
}

bool PassFinder::meet(Use one, Use other) const {
  return step(one.task).meets(one.access, step(other.task), other.access);
}

/// From the last task to the first: so all who use what a task makes are known when it is its turn.
void PassFinder::group() {
  for (auto task = static_cast<std::uint32_t>(captured_.tasks.size()); task-- > 0;) {
    const std::uint32_t root = root_[task] = pass_for(task);
    if (captured_.tasks[task].body->step() != nullptr) {
      std::vector<std::uint32_t>& tasks = passes_[root].tasks;
      tasks.insert(tasks.begin(), task);
    }
    for (std::uint32_t number = 0; number < captured_.tasks[task].access_count; ++number) {
      const Use use{task, number};
      Users& users = users_[access(use).slot];
      const auto add = [root](std::uint32_t& known) { known = known == none || known == root ? root : several; };
      add(users.of_any_value);
      if (writes(access(use).mode)) {
        users.of_last_value = root;
        users.next_writer = use;
      } else {
        add(users.of_last_value);
      }
    }
  }
}

/// The root of the pass that the task joins: itself where there is none.
std::uint32_t PassFinder::pass_for(std::uint32_t task) const {
  const PassStep* const one = captured_.tasks[task].body->step();
  if (one == nullptr) return task;
  const Use output{task, static_cast<std::uint32_t>(one->output())};
  const Users& known = users_[access(output).slot];
  // Who comes behind a writer of the very same elements uses what that made.
  const bool is_overwritten = known.next_writer.task != none &&
                              captured_.tasks[known.next_writer.task].body->step() != nullptr &&
                              meet(output, known.next_writer);
  const std::uint32_t users = is_overwritten ? known.of_last_value : known.of_any_value;
  if (users == none || users == several || !passes_.contains(users)) return task;
  return may_join(task, users) ? users : task;
}

bool PassFinder::may_join(std::uint32_t task, std::uint32_t root) const {
  const Pass& pass = passes_.at(root);
  if (pass.tasks.size() == PassStep::max_members) return false;
  if (captured_.tasks[task].priority != captured_.tasks[root].priority) return false;
  std::size_t accesses = captured_.tasks[task].access_count;
  for (const std::uint32_t member : pass.tasks) accesses += captured_.tasks[member].access_count;
  return accesses <= PassStep::max_accesses && step(task).walks_like(step(root)) && agrees_with(task, pass) &&
         can_wait_for(task, root) && fails_as_one(task, pass);
}

/// Whether nothing between the task and its pass minds that it runs no earlier than that.
bool PassFinder::can_wait_for(std::uint32_t task, std::uint32_t root) const {
  std::size_t looked_at = 0;
  for (std::uint32_t number = 0; number < captured_.tasks[task].access_count; ++number) {
    const Captured::Access& own = access({task, number});
    const std::vector<Use>& uses = uses_[own.slot];
    for (auto use = std::ranges::upper_bound(uses, task, {}, &Use::task); use != uses.end() && use->task < root;
         ++use) {
      if (++looked_at > most_looked_at) return false;
      if (root_[use->task] == root) continue;
      const Captured::Access& other = access(*use);
      if (!writes(own.mode) && !writes(other.mode)) continue;
      if (own.box < 0 || other.box < 0 ||
          overlaps(captured_.boxes[static_cast<std::size_t>(own.box)],
                   captured_.boxes[static_cast<std::size_t>(other.box)]))
        return false;
    }
  }
  return true;
}

/// Whether it touches what others of the pass write, or writes what they touch, only element by element as they do.
bool PassFinder::agrees_with(std::uint32_t task, const Pass& pass) const {
  for (std::uint32_t number = 0; number < captured_.tasks[task].access_count; ++number) {
    const Use own{task, number};
    for (const std::uint32_t member : pass.tasks) {
      for (std::uint32_t theirs = 0; theirs < captured_.tasks[member].access_count; ++theirs) {
        const Use other{member, theirs};
        if (access(own).slot != access(other).slot) continue;
        if ((writes(access(own).mode) || writes(access(other).mode)) && !meet(own, other)) return false;
      }
    }
  }
  return true;
}

/// Whether somebody besides the pass may see what it leaves in the slot.
bool PassFinder::is_seen(std::uint32_t slot, const Pass& pass) const {
  if (captured_.slots[slot].kind != Captured::SlotKind::made || is_result_[slot]) return true;
  const std::uint32_t users = users_[slot].of_any_value;
  return users != none && users != pass.tasks.back();
}

/// A pass fails as a whole where anything that it reads has failed: so with this task, too, all that it leaves behind
/// must be made of all that it reads.
bool PassFinder::fails_as_one(std::uint32_t task, const Pass& pass) const {
  std::vector<Use> outside;
  std::unordered_map<std::uint32_t, std::uint64_t> made_of;  // of each slot that is written: numbers in `outside`
  static_assert(PassStep::max_accesses <= 64);
  std::vector<std::uint32_t> tasks{task};
  tasks.insert(tasks.end(), pass.tasks.begin(), pass.tasks.end());
  for (const std::uint32_t member : tasks) {
    std::uint64_t from = 0;
    for (std::uint32_t number = 0; number < captured_.tasks[member].access_count; ++number) {
      const Use use{member, number};
      if (!reads(access(use).mode)) continue;
      if (const auto made = made_of.find(access(use).slot); made != made_of.end()) {
        from |= made->second;
        continue;
      }
      auto found = std::ranges::find_if(outside, [&](Use other) { return is_same(use, other); });
      if (found == outside.end()) found = outside.insert(outside.end(), use);
      from |= std::uint64_t{1} << (found - outside.begin());
    }
    made_of[access({member, static_cast<std::uint32_t>(step(member).output())}).slot] = from;
  }
  const std::uint64_t all = outside.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << outside.size()) - 1;
  return std::ranges::all_of(made_of,
                             [&](const auto& made) { return made.second == all || !is_seen(made.first, pass); });
}

// --- What becomes of it
// ---------------------------------------------------------------------------------------------------

/// Whether a buffer is the affair of the pass alone, which needs no more of it than a few elements at a time.
bool PassFinder::is_dropped(std::uint32_t slot, const Pass& pass) const {
  if (is_seen(slot, pass) || users_[slot].of_any_value != pass.tasks.back()) return false;
  if (access(uses_[slot].front()).mode != AccessMode::write) return false;
  return std::ranges::all_of(
      uses_[slot], [&](Use use) { return step(use.task).is_all_of(captured_.slots[slot].bytes, use.access); });
}

void PassFinder::make_body(std::uint32_t root, Pass& pass) {
  std::vector<PassStep::Member> members;
  std::unordered_map<std::uint32_t, std::int32_t> dropped;
  for (const std::uint32_t task : pass.tasks) {
    const Captured::Task& one = captured_.tasks[task];
    PassStep::Member member{one.body, one.body->step(), one.name, one.site, {}};
    for (std::uint32_t number = 0; number < one.access_count; ++number)
      member.places.push_back(find_place({task, number}, pass, dropped));
    members.push_back(std::move(member));
  }
  pass.body = step(root).join(members, captured_.device);
}

std::int32_t PassFinder::find_place(Use use, Pass& pass,
                                    std::unordered_map<std::uint32_t, std::int32_t>& dropped) const {
  const std::uint32_t slot = access(use).slot;
  const auto next_dropped = [&] {
    return dropped.try_emplace(slot, ~static_cast<std::int32_t>(dropped.size())).first->second;
  };
  if (is_dropped(slot, pass)) return next_dropped();
  const AccessMode mode = access(use).mode;
  const auto found =
      std::ranges::find_if(pass.accesses, [&](const PassAccess& one) { return is_same(one.first, use); });
  if (found == pass.accesses.end()) {
    pass.accesses.push_back({use, mode, static_cast<std::int32_t>(pass.accesses.size())});
    if (is_broken(Mutation::pass_output) && mode == AccessMode::write && use.task != pass.tasks.back()) [[unlikely]]
      pass.accesses.back().place = next_dropped();
    return pass.accesses.back().place;
  }
  // Once it has been overwritten, what is read is the pass's own.
  if (found->mode != AccessMode::write && mode != found->mode) found->mode = AccessMode::read_write;
  return found->place;
}

void PassFinder::copy_task(Captured& joined, std::uint32_t task) {
  Captured::Task& one = captured_.tasks[task];
  const auto first = captured_.accesses.begin() + one.first_access;
  one.first_access = static_cast<std::uint32_t>(joined.accesses.size());
  joined.accesses.insert(joined.accesses.end(), first, first + one.access_count);
  joined.tasks.push_back(std::move(one));
}

void PassFinder::add_pass(Captured& joined, std::uint32_t root, Pass& pass) {
  joined_tasks_ += pass.tasks.size();
  std::string name;
  for (const std::uint32_t task : pass.tasks)
    name += (name.empty() ? "" : " + ") + std::string(captured_.tasks[task].name);
  const Captured::Task& last = captured_.tasks[root];
  joined.tasks.push_back({.body = std::move(pass.body),
                          .name = intern(name),
                          .site = last.site,
                          .priority = last.priority,
                          .first_access = static_cast<std::uint32_t>(joined.accesses.size()),
                          .access_count = static_cast<std::uint32_t>(pass.accesses.size())});
  for (const PassAccess& one : pass.accesses) {
    const Captured::Access& first = access(one.first);
    joined.accesses.push_back({first.slot, one.mode, first.box});
  }
}

}  // namespace stretto
