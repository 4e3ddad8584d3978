// SPDX-License-Identifier: Apache-2.0
// octavo._core.QueueBase: a queue of Python values (octavo/message/queue.hpp), as octavo/objects/messages/queues.py has it.
// Threading: with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_queue(nanobind::module_& m);

}  // namespace octavo::bindings
