// SPDX-License-Identifier: Apache-2.0
// octavo._core.Distributed: an array spread over the members of a group. What octavo.distributed is to users is in python/octavo/distributed.
//
// Threading: with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_distributed(nanobind::module_& m);

}  // namespace octavo::bindings
