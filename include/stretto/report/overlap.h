#pragma once

#include <stretto/report/run.h>

namespace stretto::report {

/// Computing and copying beside each other.
struct STRETTO_API Overlap {
  Nanoseconds compute = 0;  ///< In which any task computed.
  Nanoseconds copies = 0;   ///< In which any task copied between memories.
  Nanoseconds both = 0;     ///< In which both went on.
  Nanoseconds total = 0;    ///< Of the run.

  Nanoseconds larger_part() const { return compute > copies ? compute : copies; }
  /// Total against the larger part: 1 when the smaller part was hidden wholly. 0 for a run without work.
  double ratio() const;
  /// Which part of the smaller one was hidden behind the larger one, from 0 to 1. 0 where one of them is missing.
  double hidden() const;
};

STRETTO_API Overlap overlap(const Run& run);

}  // namespace stretto::report
