#include "ordering/failure.h"

#include <typeinfo>

#include <stretto/base/error.h>

namespace stretto {
namespace {

template <typename Kind>
void throw_if_is(const Error& error) {
  if (typeid(error) == typeid(Kind)) throw Kind(static_cast<const Kind&>(error));
}

template <typename... Kinds>
void throw_copy(const Error& error) {
  (throw_if_is<Kinds>(error), ...);
}

}  // namespace

void Failure::raise() const {
  try {
    std::rethrow_exception(error);
  } catch (const Error& shared) {
    throw_copy<Error, ShapeError, DTypeError, DeviceError, IndexError, OutOfMemoryError, FileError, UsageError>(shared);
    throw;
  }
}

}  // namespace stretto
