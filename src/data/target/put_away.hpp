// SPDX-License-Identifier: Apache-2.0
// What a format puts away while an array is not whole (Format::hide): the names of its metadata, or the first bytes of its file.
//
//   const std::string head = put_away_head("a.npy");   // "unfinish" stands there instead of "\x93NUMPY..."
//   put_back_head("a.npy", head);
//
// Threading: none shared. Failure: io_error; also where what was put away is gone when it is to come back.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace octavo {

// Whether there is anything of this name, though it be a link that leads nowhere.
bool is_there(const std::string& path);

// What was there.
std::string put_away_head(const std::string& path);
// On the disk when it returns.
void put_back_head(const std::string& path, std::string_view head);
// Of a regular file; false for anything else.
bool has_head_put_away(const std::string& path);
// Whether the file begins so, or as one whose head is put away, or is empty.
bool may_have_head(const std::string& path, std::string_view head);

// `names`: "/zarr.json"; those that are there.
void put_away_names(const std::string& place, std::span<const char* const> names);
void put_back_names(const std::string& place, std::span<const char* const> names);
// One of them is put away, and none is there.
bool has_names_put_away(const std::string& path, std::span<const char* const> names);
// Whether it is the known one, be it put away.
bool is_name_or_put_away(std::string_view name, std::string_view known);

}  // namespace octavo
