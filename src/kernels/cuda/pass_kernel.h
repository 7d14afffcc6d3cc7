#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/element_pass.h"

namespace stretto {

/// A pass as one kernel in CUDA C++, and what that is launched with. Numbers are not in the text, but in the words that
/// it is launched with: addresses, extents, strides and constants. So passes of the same operations have the same text.
class PassKernel {
 public:
  /// Of the function in the text.
  static constexpr const char* name = "element_pass";
  static constexpr unsigned threads = 256;

  /// Empty where a step is nothing that is written here. `in_packets`: elements that lie side by side are moved several
  /// at a time, as far as extents, strides and offsets are multiples of that.
  static std::optional<PassKernel> write(const ElementPass& pass, bool in_packets);

  const std::string& text() const { return text_; }
  /// Whether a step computes what another version of CUDA may round differently.
  bool depends_on_version() const { return depends_on_version_; }
  bool in_packets() const { return items_ > 1; }
  /// Whether what is moved in packets is aligned to them at these addresses.
  bool suits(std::byte* const* addresses) const;
  /// What it is launched with, as its only parameter.
  std::vector<std::uint64_t> words(std::byte* const* addresses) const;
  unsigned blocks() const { return blocks_; }

 private:
  friend class PassKernelText;

  /// An array whose address is a word.
  struct Pointer {
    std::size_t word;
    std::int32_t address;
    std::int64_t offset;
    std::size_t alignment;
  };

  PassKernel() = default;

  std::string text_;
  std::vector<std::uint64_t> words_;
  std::vector<Pointer> pointers_;
  std::int64_t items_ = 1;
  unsigned blocks_ = 1;
  bool depends_on_version_ = false;
};

}  // namespace stretto
