// SPDX-License-Identifier: Apache-2.0
// octavo._core.ShownStream: a stream as octavo ps sees it (octavo/stream/detail/shown/shown.hpp). Used by octavo/streams/running/showing.py.
// Threading: with the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_shown(nanobind::module_& m);

}  // namespace octavo::bindings
