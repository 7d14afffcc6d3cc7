#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace stretto {

/// A backend with in-order lanes, as the conformance suite sees it: devices, and a few bodies of work on cells of 8
/// bytes in a device's memory. To put a backend under test, derive from it and add its maker to `in_order_subjects()`.
class InOrderSubject {
 public:
  using Body = std::function<void(KernelContext&)>;

  virtual ~InOrderSubject() = default;
  /// With at least one device.
  virtual Backend& backend() = 0;

  /// Takes at least `time`, then stores `value` in the cell.
  virtual Body store(std::byte* cell, std::uint64_t value, std::chrono::microseconds time) = 0;
  /// destination = 31 * destination + source + 1: what comes out tells the order in which it was done.
  virtual Body fold(std::byte* destination, const std::byte* source) = 0;
  /// The value of a cell that nothing is working on. From the host.
  virtual std::uint64_t load(const std::byte* cell) = 0;

  /// Whether bodies on this device reach the memory of device 0, where the suite has its cells.
  virtual bool reaches_cells(int /*device*/) { return true; }

  /// Makes the device lost, by something that can happen to it. False where this subject cannot.
  virtual bool lose(int /*device*/) { return false; }
};

/// A backend's name and how to make it; a null subject where this machine has none.
struct InOrderSubjectMaker {
  std::string name;
  std::unique_ptr<InOrderSubject> (*make)();

  /// For messages of failures.
  friend void PrintTo(const InOrderSubjectMaker& maker, std::ostream* stream) { *stream << maker.name; }
};

/// The backends that a test program is about; each program links its own list.
std::vector<InOrderSubjectMaker> in_order_subjects();

}  // namespace stretto
