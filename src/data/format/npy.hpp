// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "octavo/data/stored.hpp"

namespace octavo {

inline constexpr std::string_view npy_magic = "\x93NUMPY";  // the first bytes

struct NpyHeader {
  Shape shape;
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  std::int64_t offset = 0;  // where the data begins
};

// Whether the file begins as one, whatever it is called.
bool is_npy(const std::string& path);
// `start` is the beginning of the file, the whole header at least; `file` is named in errors.
NpyHeader parse_npy(std::string_view start, const std::string& file);
// Also checks that the file is as long as its header says.
NpyHeader read_npy(const std::string& path);
// Padded so that the data begins at a disk block: every write of whole blocks can then be direct.
inline constexpr std::int64_t npy_data_offset = 4096;
std::string npy_header_text(const Shape& shape, dtype type);

}  // namespace octavo
