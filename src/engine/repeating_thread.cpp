#include "engine/repeating_thread.h"

#include <algorithm>

namespace stretto {
namespace {

constexpr std::size_t most_known = 8;

}  // namespace

RepeatingThread::Known* RepeatingThread::find(std::uint64_t wanted_key) {
  const auto found = std::ranges::find_if(known, [&](const auto& one) { return one->key == wanted_key; });
  if (found == known.end()) return nullptr;
  std::rotate(found, found + 1, known.end());
  return known.back().get();
}

RepeatingThread::Known& RepeatingThread::add(std::uint64_t new_key) {
  if (known.size() == most_known) known.erase(known.begin());
  known.push_back(std::make_unique<Known>());
  known.back()->key = new_key;
  return *known.back();
}

void RepeatingThread::forget(const Known& forgotten) {
  std::erase_if(known, [&](const auto& one) { return one.get() == &forgotten; });
}

}  // namespace stretto
