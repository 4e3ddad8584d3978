// SPDX-License-Identifier: Apache-2.0
// The closed list of errors, as Python classes: octavo.errors defines them, this raises them.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {
void add_errors(nanobind::module_& module);
}
