// SPDX-License-Identifier: Apache-2.0
// Element types as NumPy and Zarr v2 write them: "<f8" is a mark of the byte order, a kind and the bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "octavo/data/dtype.hpp"

namespace octavo {

// Of "f8", without the mark.
std::optional<dtype> type_of_code(std::string_view code);
// With the mark: '|' for single bytes.
std::string type_code(dtype type, byte_order order);
// The cure for an element type that is not supported: what it may become, by its name in NumPy or in a file: "bool", "|b1", "<f2".
std::string convert_it(std::string_view name);

}  // namespace octavo
