// SPDX-License-Identifier: Apache-2.0
// A page file and its header: 4096 bytes, so that the pages after it stay aligned for direct I/O.
//
// All numbers little-endian; what is not named is 0:
//     0  magic "\x8fOctavo\n"        40  dtype's name, 16 bytes         72  page's extents, 8 x 8 bytes
//     8  format version, 4 bytes     56  byte order, '<' or '>'       4092  CRC-32C of all before it
//    16  id of the array, 16 bytes   57  dimensions, 1 byte
//    32  device, 36 how many         64  number of pages, 8 bytes
//
// Page p begins at 4096 + p * bytes of a page. Threading: none shared. Failure: usage_error (not a page file), not_supported (a later
// version), io_error (damaged, cut off); each names the file and the cure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "octavo/base/fd.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

inline constexpr std::int64_t page_file_header_bytes = 4096;
inline constexpr std::string_view page_file_magic = "\x8fOctavo\n";
inline constexpr int most_devices = 1024;  // that one array lies on

struct PageFileHeader {
  std::string array_id = {};  // of the array it belongs to: 32 hex digits
  int device = 0, devices = 1;
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  Shape page = {};
  std::int64_t pages = 0;

  [[nodiscard]] std::int64_t file_bytes() const { return page_file_header_bytes + pages * page.count() * size_of(type); }
  [[nodiscard]] std::string text() const;  // "4 pages of 8 x 8 float64"
  bool operator==(const PageFileHeader&) const = default;
};

// Whether `id` is one: 32 lower-case hex digits.
bool is_array_id(std::string_view id) noexcept;
// The pages one below the other, as one array. Throws usage_error where that has no elements or more than 2^62 bytes.
Shape page_file_shape(const Shape& page, std::int64_t pages, dtype type, const std::string& file);

std::string page_file_header_text(const PageFileHeader& header);
// `bytes` is the beginning of the file, the whole header at least; `file` is named in errors.
PageFileHeader parse_page_file_header(std::string_view bytes, const std::string& file);
// Whether the file begins as a page file does; false also where it cannot be read.
bool is_page_file(const std::string& path) noexcept;
// What there is of the header's bytes; throws unless the file is regular and can be read.
std::string page_file_beginning(const std::string& path);
// Also checks that the file is as long as its header says.
PageFileHeader read_page_file_header(const std::string& path);

// Made new with its header, and all its space reserved; a file that could not be made whole is removed.
void make_page_file(const std::string& path, const PageFileHeader& header);
// The same without a name, in `directory`: it is gone when the last descriptor of it is closed, whoever ends then, and however.
Fd make_unnamed_page_file(const std::string& directory, const PageFileHeader& header);
Storage page_file_view(const std::string& path, const PageFileHeader& header);

}  // namespace octavo
