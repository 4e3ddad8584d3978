// SPDX-License-Identifier: Apache-2.0
// Small files as a whole, and checks on shapes that every format needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "octavo/base/fd.hpp"
#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"

namespace octavo {

// Of a zarr.json or .zarray that is believed.
inline constexpr std::int64_t most_metadata_bytes = 64LL << 20;
// A regular file, and how long it is.
Fd open_to_read(const std::string& path, std::int64_t* bytes = nullptr);
// From byte `at` on; fewer where the file ends.
std::string read_bytes(const Fd& file, const std::string& path, std::int64_t most, std::int64_t at = 0);
// At the beginning of the file.
void write_bytes(const Fd& file, const std::string& path, std::string_view bytes);
// At most `limit` bytes; a longer file is refused by not_supported.
std::string read_file(const std::string& path, std::int64_t limit);
// Written under another name, synced and renamed: it is there whole or not at all.
void write_file(const std::string& path, const std::string& text);
// Made new (an existing one is an error), with its directories.
Fd make_file(const std::string& path);
void sync_file(const Fd& file, const std::string& path);
void sync_directory_of(const std::string& path);

// Two digits for each of so many random bytes.
std::string random_hex(std::size_t bytes);
// With its point, and in small letters: some write .NPY.
std::string ending_of(const std::string& path);
// The block that an array in one piece is: of an array without elements one that could be stored.
Shape at_least_one(const Shape& shape);
// An array Octavo can work with: no negative extent, and below 2^62 bytes. `what` is put in front of the error.
void check_shape(const Shape& shape, dtype type, const std::string& what);
// The same, of something that has elements: a page, or an array of a format that needs some.
void check_elements(const Shape& shape, dtype type, const std::string& what);

}  // namespace octavo
