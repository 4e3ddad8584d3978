// SPDX-License-Identifier: Apache-2.0
// Page files on the disk: made, recognised, opened.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_file.hpp"
#include "data/io/files/reserve.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// At most `count` bytes from the beginning of a regular file.
std::string beginning(const std::string& path, std::int64_t count) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw usage_error("'" + path + "' is no page file: it is not a regular file", "Check the path");
  return read_bytes(open_to_read(path), path, count);
}

}  // namespace

bool is_page_file(const std::string& path) noexcept {
  try {
    return beginning(path, std::ssize(page_file_magic)) == page_file_magic;
  } catch (const std::exception&) {
    return false;
  }
}

std::string page_file_beginning(const std::string& path) { return beginning(path, page_file_header_bytes); }

PageFileHeader read_page_file_header(const std::string& path) {
  PageFileHeader header = parse_page_file_header(page_file_beginning(path), path);
  auto found = static_cast<std::int64_t>(std::filesystem::file_size(path));
  if (found < header.file_bytes())
    throw io_error("the page file '" + path + "' is cut off: it has " + std::to_string(found) + " bytes, and " + header.text() + " take " +
                       std::to_string(header.file_bytes()),
                   "Take it from a copy, or make it again");
  return header;
}

void make_page_file(const std::string& path, const PageFileHeader& header) {
  std::string bytes = page_file_header_text(header);
  Fd file = make_file(path);
  try {
    // The header first: after a kill, remove_storage finds by it which array the file belongs to.
    write_bytes(file, path, bytes);
    reserve_file(file.get(), path, header.file_bytes());
    sync_file(file, path);
    sync_directory_of(path);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

// Not every file system has O_TMPFILE.
Fd make_unnamed_page_file(const std::string& directory, const PageFileHeader& header) {
  std::string path = directory + "/octavo-scratch.XXXXXX";
  Fd file(::mkostemp(path.data(), O_CLOEXEC));
  if (!file) throw io_error_from(errno, "making a file in '" + directory + "'");
  ::unlink(path.c_str());
  write_bytes(file, path, page_file_header_text(header));
  reserve_file(file.get(), path, header.file_bytes());
  return file;
}

Storage page_file_view(const std::string& path, const PageFileHeader& header) {
  Shape shape = page_file_shape(header.page, header.pages, header.type, path);
  return {storage_format::page_file, path, shape, header.page, header.type, header.order, page_file_header_bytes};
}

}  // namespace octavo
