#pragma once

#include <algorithm>
#include <cstddef>

#include "kernels/kernel.h"

namespace stretto {

/// A literal as a template argument.
template <std::size_t size>
struct OperatorName {
  consteval OperatorName(const char (&literal)[size]) { std::copy_n(literal, size, text); }
  char text[size];
};

/// What an operator is called in errors and timelines, and its row in the table of kernels.
struct OperatorKernel {
  const char* name;
  const KernelRow& row;

  /// The same kernel for an operator of another name, a literal.
  OperatorKernel called(const char* other) const { return {other, row}; }
};

/// The kernel of this name: looked up once in the process, also before `main`.
template <OperatorName name>
OperatorKernel operator_kernel() {
  static const KernelRow& row = kernel_row(name.text);
  return {name.text, row};
}

}  // namespace stretto
