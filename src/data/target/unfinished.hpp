// SPDX-License-Identifier: Apache-2.0
// The names of what is not finished, and its removal.
//
//   /d/.out.zarr.lock                            the lock of /d/out.zarr
//   /d/out.zarr.unfinished-1a2b3c4d/             what one run makes
//   /d/out.zarr.unfinished-1a2b3c4d/octavo-unfinished.jsonl   its record: what makes the directory one that is not finished
//   /d/out.zarr.unfinished-1a2b3c4d/out.zarr     the array; its metadata is hidden (hidden.hpp)
//   /s/out.zarr.scratch.unfinished-1a2b3c4d      its intermediate, named in the record
//
// Names that would be longer than the file system's 255 bytes are cut and end in a hash of the whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/storage.hpp"

namespace octavo {

inline constexpr const char* unfinished_record = "octavo-unfinished.jsonl";
inline constexpr const char* unfinished_ending = ".unfinished";
inline constexpr const char* replaced_ending = ".replaced";  // within the directory: the old array, where the file system cannot exchange two

// In full, without a slash at the end.
std::filesystem::path absolute_target(const std::string& path);
std::string stem_of(const std::string& name);
std::string lock_name(const std::string& name);
// Whether it ends as what is not finished does.
bool has_unfinished_ending(std::string_view name);
// Of the target `name`: names in `directory` of what runs left. Nothing else that only has such a name is theirs.
std::vector<std::string> remains_of(const std::string& directory, const std::string& name);
// Of a run with these digits, in a scratch directory.
std::string scratch_name(const std::string& name, std::string_view digits);
// Everything in it, its scratch file and page files elsewhere too. True if nothing is left.
bool remove_unfinished(const std::string& path, const std::string& name) noexcept;

}  // namespace octavo
