// SPDX-License-Identifier: Apache-2.0
// Page files on the disk: made, recognised, opened.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_file.hpp"
#include "data/io/files/reserve.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// At most `count` bytes from the beginning of a regular file.
std::string beginning(const std::string& path, std::size_t count) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe would keep whoever opens it waiting
  if (!file) throw io_error_from(errno, "opening the page file '" + path + "'");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw io_error_from(errno, "reading the page file '" + path + "'");
  if (!S_ISREG(status.st_mode)) throw usage_error("'" + path + "' is no page file: it is not a regular file", "Check the path");
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    ssize_t got = ::pread(file.get(), bytes.data() + have, count - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error_from(errno, "reading the page file '" + path + "'");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

}  // namespace

std::string new_array_id() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) throw io_error_from(errno, "asking the system for random bytes");
  std::string id;
  for (unsigned byte : bytes) {
    id += "0123456789abcdef"[byte >> 4];
    id += "0123456789abcdef"[byte & 15];
  }
  return id;
}

bool is_page_file(const std::string& path) noexcept {
  try {
    return beginning(path, page_file_magic.size()) == page_file_magic;
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
    // The header first: whoever cleans up after a kill knows by it whose file this is.
    ssize_t put = ::pwrite(file.get(), bytes.data(), bytes.size(), 0);
    if (put != static_cast<ssize_t>(bytes.size())) throw io_error_from(put < 0 ? errno : ENOSPC, "writing '" + path + "'");
    reserve_file(file.get(), path, header.file_bytes());
    sync_file(file, path);
    sync_directory_of(path);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

Storage page_file_view(const std::string& path, const PageFileHeader& header) {
  Shape shape = page_file_shape(header.page, header.pages, header.type, path);
  return {storage_format::page_file, path, shape, header.page, header.type, header.order, page_file_header_bytes};
}

}  // namespace octavo
