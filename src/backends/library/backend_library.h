#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/backend.h"
#include "base/environment.h"
#include "kernels/element_pass.h"
#include "kernels/kernel.h"
#include "ordering/point.h"

namespace stretto {

// A backend in a library of its own, such as libstretto_cuda.so, which is loaded when it is there. It shares no symbol
// with the core: all that passes between them are these structs, whose layout the same version on both sides vouches
// for.

/// What the core hands to a library.
struct BackendHost {
  const Environment& environment;
  Executor& executor;
  LaneId (*next_lane_id)();
};

/// One kernel of a library.
struct LibraryKernel {
  std::string_view name;
  Kernel kernel;
};

/// What a library hands to the core, by the exported function named `backend_library_symbol`. It stays loaded until the
/// process ends.
struct BackendLibrary {
  const char* version;  ///< First, and looked at before anything else.
  /// Never fails: a machine without devices gives a backend that says why.
  std::unique_ptr<Backend> (*open)(const BackendHost& host);
  std::span<const LibraryKernel> (*kernels)();
  ElementPassMaker make_pass;
  /// How its profiler is told that a section of the program begins, and that it ends.
  void (*push_range)(const char* name);
  void (*pop_range)();
};

using BackendLibraryFunction = const BackendLibrary* (*)();
inline constexpr const char* backend_library_symbol = "stretto_backend_library";

/// The backend of the library with this file name, which lies beside the core's own file or on its run path; its
/// kernels are put into the table. Where it is missing, does not load or is of another version than `version`, a
/// backend without devices, whose `absence()` says which.
std::unique_ptr<Backend> load_backend_library(const std::string& file_name, std::string_view version, DeviceKind kind,
                                              const BackendHost& host);

}  // namespace stretto
