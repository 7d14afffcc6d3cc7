#pragma once

#include "cli/check/statement_row.h"

namespace stretto::cli {

// Rules that rows share: what fits, and what the result is. All are of `StatementRow::fits`' kind.

bool any_tensor(const Places& places, Variable& result);        ///< The result is like x[0].
bool not_bool(const Places& places, Variable& result);          ///< The same for numbers.
bool floating(const Places& places, Variable& result);          ///< The same for floating types.
bool becomes_floating(const Places& places, Variable& result);  ///< Of type float32 where x[0] is not floating.
bool becomes_bool(const Places& places, Variable& result);

/// Of the tensors' broadcast shape and their common type.
bool common(const Places& places, Variable& result);
bool common_not_bool(const Places& places, Variable& result);
bool common_floating(const Places& places, Variable& result);
bool common_bits(const Places& places, Variable& result);  ///< Integers and bool.
bool common_becomes_floating(const Places& places, Variable& result);
bool common_becomes_bool(const Places& places, Variable& result);

/// x[0] with x[1] in place, by an operation in their common type: it broadcasts to x[0] and can be cast to its type.
bool in_place(const Places& places, Variable& result);
/// The same for copies, which cast any type.
bool copied_in_place(const Places& places, Variable& result);
/// x[0] can be written: no two elements of it are one.
bool writable(const Places& places, Variable& result);

// Parts of rules.
bool broadcasts_to(const Shape& from, const Shape& to);
bool distinct(const Variable& x);
/// Whether all places' tensors have this type.
bool same_types(const Places& places, int count);
DType common_type(const Places& places, int first, int count);
/// x with another geometry.
bool view_as(const Places& places, Geometry geometry, Variable& result);
bool is_axis(const Places& places, std::int64_t axis);

// How numbers are drawn. All are of `StatementRow::draw`'s kind.

void draw_nothing(Random& random, const Choices& choices, Places& places);
/// n[0] is an axis of x[0], n[1] 0 or 1, n[2] from 0 to 3, n[3] from -2 to 2.
void draw_axis(Random& random, const Choices& choices, Places& places);
/// All from -4 to 4.
void draw_small(Random& random, const Choices& choices, Places& places);
/// n[0] and n[1] are extents, n[2] and n[3] any numbers, not negative.
void draw_shape(Random& random, const Choices& choices, Places& places);
/// n[0] is any number, not negative.
void draw_seed(Random& random, const Choices& choices, Places& places);

}  // namespace stretto::cli
