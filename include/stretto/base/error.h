#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>

namespace stretto {

/// What every failure of Stretto is thrown as. `what()` is one line that names the operation, what is wrong and the
/// line of the person's program:
///
///     [matmul] shapes (2, 3) and (4, 5) do not match: 3 columns against 4 rows (at program.cpp:42)
///
/// The brackets and the place are absent until `with_context` adds them.
class STRETTO_API Error : public std::runtime_error {
 public:
  /// `message` says what is wrong, in one line, without the operation's name or the place.
  explicit Error(const std::string& message);
  Error(std::string_view operation, const std::string& message, const CallSite& site);

  /// Adds the name of the operation and the place where it was called. The outermost call wins: the latest context
  /// replaces the name and the place an inner operation gave, so a person reads the name they wrote. An empty name or
  /// an unknown place leaves what is there.
  ///
  ///     try { ... } catch (Error& error) { error.with_context("matmul", site); throw; }
  ///
  /// `throw;` keeps the kind of the error. Returns this error.
  Error& with_context(std::string_view operation, const CallSite& site);

  /// Adds what the operation worked on, behind the message: "index 7 is out of range, with (3,4) float32, (2,) int64".
  /// The latest wins; an empty text leaves what is there. Returns this error.
  Error& with_operands(std::string_view operands);

  const char* what() const noexcept override;

  /// What is wrong, without the operation and the place.
  const char* message() const noexcept;
  /// The operation's name; empty when no context was given.
  const std::string& operation() const noexcept;
  /// The line of the person's program; unknown when no context was given.
  const CallSite& site() const noexcept;

 private:
  void compose();

  std::string message_;
  std::string operation_;
  std::string operands_;
  CallSite site_;
  std::string line_;
};

/// Shapes, dimensions or strides that do not fit the operation or each other.
class STRETTO_API ShapeError : public Error {
 public:
  using Error::Error;
};

/// A data type the operation does not take, or types that do not go together.
class STRETTO_API DTypeError : public Error {
 public:
  using Error::Error;
};

/// A device that does not exist, tensors on different devices, or a device that was lost.
class STRETTO_API DeviceError : public Error {
 public:
  using Error::Error;
};

/// An index or a label outside its range.
class STRETTO_API IndexError : public Error {
 public:
  using Error::Error;
};

/// Memory of a device, or of the host, is exhausted.
class STRETTO_API OutOfMemoryError : public Error {
 public:
  using Error::Error;
};

/// A file that cannot be read or written, or whose contents are not what its format says.
class STRETTO_API FileError : public Error {
 public:
  using Error::Error;
};

/// A call that is wrong whatever its shapes and types: a bad setting, an argument out of range, a use at the wrong
/// time.
class STRETTO_API UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace stretto
