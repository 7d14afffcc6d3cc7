#pragma once

#include <cstddef>

namespace stretto {

/// Has the system put pages behind memory that nobody touched yet, by several threads where it is large, which is many
/// times faster than one thread that meets each page by itself. Changes no contents. Blocks until it is done.
void touch_pages(std::byte* data, std::size_t bytes);
/// The same for memory that is about to be filled; large memory gets huge pages first, where the system has them.
void touch_fresh_pages(std::byte* data, std::size_t bytes);

}  // namespace stretto
