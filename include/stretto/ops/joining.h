#pragma once

#include <cstdint>
#include <source_location>
#include <vector>

#include <stretto/base/call_site.h>
#include <stretto/base/export.h>
#include <stretto/tensor/tensor.h>

namespace stretto {

// Putting tensors together, and taking them apart. Axes count from the end when negative; IndexError for one that is
// not there. Nothing blocks.

/// The tensors one behind the other along `axis`, as a new contiguous tensor of their common type. They have one rank
/// and the same extents on all other axes (ShapeError), and lie on one device (DeviceError); there is at least one
/// (UsageError).
STRETTO_API Tensor concat(const std::vector<Tensor>& tensors, std::int64_t axis = 0,
                          CallSite site = std::source_location::current());
/// The tensors, all of one shape (ShapeError), beside each other along a new axis. Otherwise as `concat`.
STRETTO_API Tensor stack(const std::vector<Tensor>& tensors, std::int64_t axis = 0,
                         CallSite site = std::source_location::current());

// Views: they share x's storage and copy nothing.

/// Pieces of `size` positions of `axis` each; the last may be shorter. UsageError unless size > 0.
STRETTO_API std::vector<Tensor> split(const Tensor& x, std::int64_t size, std::int64_t axis = 0,
                                      CallSite site = std::source_location::current());
/// One piece for each of `sizes`, which together are the axis' extent (ShapeError).
STRETTO_API std::vector<Tensor> split_with_sizes(const Tensor& x, const std::vector<std::int64_t>& sizes,
                                                 std::int64_t axis = 0,
                                                 CallSite site = std::source_location::current());
/// At most `chunks` pieces of equal size, but for the last: as `split` by the extent / chunks, rounded up. UsageError
/// unless chunks > 0.
STRETTO_API std::vector<Tensor> chunk(const Tensor& x, std::int64_t chunks, std::int64_t axis = 0,
                                      CallSite site = std::source_location::current());

}  // namespace stretto
