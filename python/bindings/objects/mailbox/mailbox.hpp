// SPDX-License-Identifier: Apache-2.0
// octavo._core.MailboxBase: a mailbox, by its name and the type of its messages (words.hpp), and the wait for several.
// Each use finds it anew at the endpoint of its thread: the Python object may have been made before the Runtime, or on another thread with objects.
// Threading: with the interpreter's lock, which is free while they wait.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_mailbox(nanobind::module_& m);

}  // namespace octavo::bindings
