// SPDX-License-Identifier: Apache-2.0
// octavo._core.Mutex, Semaphore, Condition, Barrier and Event: those of C++ (octavo/message). What they are to users is in octavo/objects/messages/locks.py
// and meetings.py.
// Threading: with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_locks(nanobind::module_& m);

}  // namespace octavo::bindings
