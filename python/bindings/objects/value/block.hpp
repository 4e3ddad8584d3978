// SPDX-License-Identifier: Apache-2.0
// octavo._core.Block: memory that an array of NumPy lies on (buffer protocol): bytes that arrived, writable, or a page of the pool, which is read-only
// while another holds it, too.
//
//   nb::object block = make_block(std::move(part));       const Page* page = whole_page_of(array);     // the page it fills, or null
//
// Threading: with the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "objects/value/value.hpp"

namespace octavo::bindings {

// Of a segment: its own object (segment.hpp).
nanobind::object make_block(ValuePart part);
// The page that this array, or buffer, fills from its first byte to its last. Null: it lies elsewhere.
const Page* whole_page_of(nanobind::handle object);
// The same on its way: with that it is given, where give() was called; or a segment. Throws usage_error for one that was given before.
bool take_page_of(nanobind::handle object, ValuePart& into);
void add_block(nanobind::module_& m);

}  // namespace octavo::bindings
