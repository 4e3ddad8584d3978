// SPDX-License-Identifier: Apache-2.0
// The cure for an element type that is not supported.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

// What it may become, by its name in NumPy or in a file: "bool", "|b1", "<f2".
std::string convert_it(std::string_view name);

}  // namespace octavo
