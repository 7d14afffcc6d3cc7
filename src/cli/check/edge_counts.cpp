#include "cli/check/edge_counts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>
#include <vector>

#include <stretto/core/box.h>

#include "cli/check/program_model.h"

namespace stretto::cli {
namespace {

using Counts = std::array<std::uint64_t, edge_kind_count>;

bool is_in_order(Device device) { return device.kind() != DeviceKind::cpu; }

/// Follows the accesses of one program.
class Follower {
 public:
  Follower(const Program& program, Counts& counts) : model_(program.variables, program.threads), counts_(counts) {}

  void take(const Statement& statement) {
    const StatementRow& row = statement_rows()[static_cast<std::size_t>(statement.row)];
    const Places before = model_.places_of(statement);
    const Variable old = statement.result >= 0 ? model_.variable(statement.result) : Variable();
    if (!model_.accept(statement)) return;
    if (statement.row == join_row()) return;
    if (row.waits) return wait(row, before);
    const Variable& result = model_.result();
    const bool makes = result.defined() && result.storage == statement.number;
    // A view that could be expressed reads nothing.
    if (row.is_task && (makes || !row.has_result)) touch(row, before, makes ? &result : nullptr);
    if (old.defined() && !is_used(old.storage)) drop(old);
    if (makes) reuse(result);
  }

 private:
  struct Access {
    Box box;
    Device device;
    bool writes;
    bool seen = false;  ///< The host has waited for it.
  };
  using Size = std::pair<Device, std::uint64_t>;

  void count(EdgeKind kind) { ++counts_[static_cast<std::size_t>(kind)]; }

  void touch(const StatementRow& row, const Places& places, const Variable* made) {
    std::vector<Variable> tensors(places.x.begin(),
                                  places.x.begin() + static_cast<std::ptrdiff_t>(row.accesses.size()));
    if (made != nullptr) tensors.push_back(*made);
    Device device = tensors.front().device;
    for (const Variable& x : tensors) {
      if (!is_in_order(device) && is_in_order(x.device)) device = x.device;
    }
    for (std::size_t i = 0; i < row.accesses.size(); ++i) {
      const char access = row.accesses[i];
      if (access != '-') use(tensors[i], device, access != 'w', access != 'r');
    }
    if (made != nullptr) use(*made, device, false, true);
  }

  void use(const Variable& x, Device device, bool reads, bool writes) {
    const Box box(x.geometry, item_size(x.dtype));
    auto& accesses = accesses_[x.storage];
    for (const Access& earlier : accesses) {
      if (!(writes || earlier.writes) || !overlaps(box, earlier.box)) continue;
      if (earlier.writes && reads) count(EdgeKind::read_after_write);
      if (!earlier.writes && writes) count(EdgeKind::write_after_read);
      if (earlier.writes && writes) count(EdgeKind::write_after_write);
      count_lanes(earlier.device, device);
    }
    if (writes) std::erase_if(accesses, [&](const Access& earlier) { return contains(box, earlier.box); });
    accesses.push_back({box, device, writes});
  }
  void count_lanes(Device from, Device to) {
    if (!is_in_order(from)) return count(is_in_order(to) ? EdgeKind::cpu_to_in_order : EdgeKind::cpu_to_cpu);
    if (!is_in_order(to)) return count(EdgeKind::in_order_to_cpu);
    count(from == to ? EdgeKind::stream_to_stream : EdgeKind::device_to_device);
  }

  void wait(const StatementRow& row, const Places& places) {
    if (row.accesses.empty()) {
      for (auto& [storage, accesses] : accesses_) {
        for (Access& access : accesses) access.seen = true;
      }
      dropped_.clear();
      return;
    }
    const Box box(places.x[0].geometry, item_size(places.x[0].dtype));
    bool waits = false;
    for (Access& access : accesses_[places.x[0].storage]) {
      if (!access.writes || access.seen || !overlaps(box, access.box)) continue;
      access.seen = waits = true;
    }
    if (waits) count(EdgeKind::host_read_wait);
  }

  bool is_used(int storage) const {
    for (int i = 0; i < model_.variable_count(); ++i) {
      if (model_.variable(i).storage == storage) return true;
    }
    return false;
  }
  static Size size_of(const Variable& x, std::uint64_t bytes) { return {x.device, std::bit_ceil(bytes)}; }
  void drop(const Variable& x) {
    const bool pending = std::ranges::any_of(accesses_[x.storage], [](const Access& access) { return !access.seen; });
    if (pending) ++dropped_[size_of(x, bytes_[x.storage])];
    accesses_.erase(x.storage);
  }
  void reuse(const Variable& x) {
    bytes_[x.storage] = static_cast<std::uint64_t>(x.shape().numel()) * item_size(x.dtype);
    auto& waiting = dropped_[size_of(x, bytes_[x.storage])];
    if (waiting == 0) return;
    --waiting;
    count(EdgeKind::block_reuse);
  }

  ProgramModel model_;
  Counts& counts_;
  std::map<int, std::vector<Access>> accesses_;  ///< By storage.
  std::map<int, std::uint64_t> bytes_;           ///< By storage.
  std::map<Size, int> dropped_;
};

}  // namespace

std::string_view name(EdgeKind kind) {
  constexpr std::array<std::string_view, edge_kind_count> names = {
      "read after write", "write after read", "write after write", "cpu to cpu",  "cpu to in-order",
      "in-order to cpu",  "stream to stream", "device to device",  "block reuse", "host read wait"};
  return names[static_cast<std::size_t>(kind)];
}

bool is_possible(EdgeKind kind, std::span<const Device> devices) {
  const auto in_order = std::ranges::count_if(devices, is_in_order);
  const bool cpu = in_order < std::ranges::ssize(devices);
  switch (kind) {
    case EdgeKind::cpu_to_cpu: return cpu;
    case EdgeKind::cpu_to_in_order:
    case EdgeKind::in_order_to_cpu: return cpu && in_order > 0;
    case EdgeKind::stream_to_stream: return in_order > 0;
    case EdgeKind::device_to_device: return in_order > 1;
    default: return true;
  }
}

void EdgeCounts::add(const Program& program) {
  Follower follower(program, counts_);
  for (const Statement& statement : program.statements) {
    follower.take(statement);
    tasks_ += statement_rows()[static_cast<std::size_t>(statement.row)].is_task ? 1 : 0;
  }
}

}  // namespace stretto::cli
