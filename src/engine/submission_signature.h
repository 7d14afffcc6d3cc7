#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/submission.h"

namespace stretto {

/// One number that two submissions share where one may be the repeat of the other: what they are called, where they
/// run, and of each buffer how it is used and how many submissions ago it was named last. `now` is the number of this
/// one, and each buffer is told that it was.
inline std::uint32_t submission_signature(const Submission& submission, std::uint32_t now) {
  constexpr std::uint64_t spread = 0x9e3779b97f4a7c15u;
  // Of addresses what is the same in every process, so that each finds the same.
  constexpr std::uintptr_t within_page = 4096;
  // Uses of a buffer that lie further apart are not told apart.
  constexpr std::uint32_t longest_distance = 256;
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(submission.name) % within_page ^ submission.site.line << 12;
  hash = (hash ^ reinterpret_cast<std::uintptr_t>(submission.site.file) % within_page) * spread;
  hash +=
      static_cast<std::uint64_t>(submission.device.kind()) << 8 | static_cast<std::uint64_t>(submission.device.index());
  for (const Access& access : submission.accesses) {
    const std::uint32_t distance = std::min(now - access.buffer->last_named(), longest_distance);
    access.buffer->note_named(now);
    std::uint64_t part = distance << 2 | static_cast<std::uint32_t>(access.mode);
    if (access.box != nullptr) part ^= static_cast<std::uint64_t>(access.box->offset() + 1) << 16;
    hash = (hash ^ part) * spread;
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

}  // namespace stretto
