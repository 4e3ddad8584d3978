// SPDX-License-Identifier: Apache-2.0
// octavo._core.Member: a Python object in one of its groups, and the collectives of it. What octavo.Member is to users is in octavo/objects/groups/member.py.
//
// Threading: of the object's methods, with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_member(nanobind::module_& m);

}  // namespace octavo::bindings
