// SPDX-License-Identifier: Apache-2.0
// octavo._core.JointOut and JointIn: what two streams that a mailbox joins say to each other (octavo/stream/detail/joint/joint.hpp). Used by
// octavo/streams/boxes.py.
// Threading: with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_joint(nanobind::module_& m);

}  // namespace octavo::bindings
