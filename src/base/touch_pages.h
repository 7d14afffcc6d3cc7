#pragma once

#include <cstddef>

namespace stretto {

/// Has the system put pages behind memory that nobody touched yet, by several threads where it is large, which is many
/// times faster than one thread that meets each page by itself. Changes no contents. Blocks until it is done.
void touch_pages(std::byte* data, std::size_t bytes);
/// Copies into memory that nobody touched yet, by several threads where it is large; that gets huge pages first, where
/// the system has them. The ranges do not overlap. Blocks until it is done.
void copy_to_fresh_pages(std::byte* to, const std::byte* from, std::size_t bytes);

}  // namespace stretto
