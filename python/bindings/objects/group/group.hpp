// SPDX-License-Identifier: Apache-2.0
// octavo._core.GroupFacts: a group of Python objects, as its members know it, and calls to all of them. What octavo.Group is to users is in
// octavo/objects/groups/group.py.
//
// Threading: with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

#include "octavo/group/detail/all.hpp"

namespace octavo::bindings {

// What Python has of it.
struct GroupFacts {
  std::shared_ptr<const detail::Founding> of;
};

void add_group(nanobind::module_& m);

}  // namespace octavo::bindings
