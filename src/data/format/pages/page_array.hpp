// SPDX-License-Identifier: Apache-2.0
// An Octavo array on the disk: a directory with array.json, and page files there or in directories of other disks.
//
//   {"octavo_array": 1, "id": "8f3a...", "shape": [64, 64], "page": [8, 8], "dtype": "float32", "byte_order": "little", "fill_value": 0,
//    "map": {"kind": "block_cyclic", "block": 4}, "attributes": {}, "dimension_names": ["y", "x"], "page_files": ["a-8f3a0b11-0.pages", "/d1/..."]}
//
// A page file's name has no slash if it lies in the array's directory, and is absolute otherwise; its header has the array's id. While the array
// is being made the same text is in making.json, which gets its name array.json when all page files are there: so what a killed program left
// behind can be found and removed. Threading: none shared. Failure: usage_error, io_error and not_supported, which name the file and the cure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/format/pages/page_file.hpp"

namespace octavo {

inline constexpr const char* array_json = "/array.json";
inline constexpr const char* making_json = "/making.json";

// What array.json says: `chunk` is the page, and `files` have the names that stand in the text.
struct PageArray : Storage {
  std::string id = {};
};

// `file` is named in errors.
PageArray parse_page_array(std::string_view text, const std::string& file);
std::string page_array_text(const PageArray& meta);
// Shape, page and map fit each other and this many devices, and all page files together have less than 2^62 bytes.
void check_page_array(const PageArray& meta, const std::string& what);
// What each page file takes.
std::int64_t page_file_bytes(const Storage& array);
// What the page file of `device` must say.
PageFileHeader header_of(const Storage& array, std::size_t device, const std::string& id = {});

// Of the array in the directory `path`; `name` is array_json or making_json.
PageArray read_page_array(const std::string& path, const char* name);
// Where a page file named so in the array.json of `path` lies.
std::string page_file_place(const std::string& path, const std::string& name);
bool is_page_array(const std::string& path) noexcept;  // whole, or half made

Storage open_page_array(const std::string& path);
// The directories of the devices: absolute, there, different, not more than there may be. One, `path`, if none are given.
std::vector<std::string> device_directories(const std::string& path, const std::vector<std::string>& given);
// `storage` is what create_storage was asked for, checked but for what only this format has.
Storage create_page_array(const Storage& storage, const CreateOptions& options);

}  // namespace octavo
