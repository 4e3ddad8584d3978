// SPDX-License-Identifier: Apache-2.0
#include "data/format/other_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "data/format/npy.hpp"
#include "data/format/pages/page_file.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n"sv;
constexpr std::int64_t first_user_block = 512;
constexpr std::int64_t most_head = 4096;
constexpr std::int64_t most_zip_end = 22 + 65535;  // the record that ends it, and its comment
constexpr std::size_t zip_name = 30;               // where the name of its first member begins

struct Looked {
  explicit Looked(const std::string& at) : path(at), file(open_to_read(at, &bytes)), head(read_bytes(file, at, most_head)) {}
  [[nodiscard]] bool has(std::size_t at, std::string_view what) const { return head.size() >= at + what.size() && head.compare(at, what.size(), what) == 0; }
  [[nodiscard]] std::int64_t number(std::size_t at, int count) const {  // big-endian
    std::int64_t value = 0;
    for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(head[at + static_cast<std::size_t>(i)]);
    return value;
  }

  const std::string& path;
  std::int64_t bytes = 0;
  Fd file;
  std::string head;
};

bool is_hdf5(const Looked& at) {
  if (at.has(0, hdf5_signature)) return true;
  for (std::int64_t place = first_user_block; place < at.bytes; place *= 2)
    if (read_bytes(at.file, at.path, std::ssize(hdf5_signature), place) == hdf5_signature) return true;
  return false;
}

// Its head goes on with the number of records and, of its list of dimensions, the tag or zeros.
bool is_netcdf_classic(const Looked& at) {
  if (!at.has(0, "CDF\x01"sv) && !at.has(0, "CDF\x02"sv) && !at.has(0, "CDF\x05"sv)) return false;
  const std::size_t tag = at.head[3] == '\x05' ? 12 : 8;
  return at.has(tag, "\0\0\0\x0a"sv) || at.has(tag, "\0\0\0\0"sv);
}

// Its head goes on with how many descriptors there are, and where the next ones are.
bool is_hdf4(const Looked& at) { return at.has(0, "\x0e\x03\x13\x01"sv) && at.bytes >= 10 && at.number(4, 2) > 0 && at.number(6, 4) < at.bytes; }

bool is_zip(const Looked& at) {
  if (!at.has(0, "PK\x03\x04"sv) || at.head.size() < zip_name) return false;
  return read_bytes(at.file, at.path, most_zip_end, std::max<std::int64_t>(0, at.bytes - most_zip_end)).find("PK\x05\x06"sv) != std::string::npos;
}

// By the name of its first member.
[[noreturn]] void refuse_zip(const Looked& at) {
  const auto length =
      static_cast<std::size_t>(static_cast<unsigned char>(at.head[26])) + (static_cast<std::size_t>(static_cast<unsigned char>(at.head[27])) << 8);
  const std::string cure = "Unpack it into a directory (python -m zipfile -e FILE DIRECTORY), and open ";
  if (ending_of(at.head.substr(zip_name, length)) == ".npy")
    throw not_supported("'" + at.path + "' is an .npz archive, a zip file of .npy files, which is not read", cure + "one of the .npy files in it");
  throw not_supported("'" + at.path + "' is a zip file: Zarr arrays in zip files are not read", cure + "that");
}

[[noreturn]] void refuse_hdf5(const std::string& path, const std::string& file) {
  throw not_supported("'" + path + "'" + (path == file ? " is an HDF5 file" : " is in an HDF5 file") + ": HDF5 is opened from Python only",
                      "Open it there, without shape and dtype (octavo.open_array, octavo.buffered); or copy it to an .npy or .zarr first (octavo copy)");
}

void refuse(const Looked& at) {
  if (is_hdf5(at)) refuse_hdf5(at.path, at.path);
  if (is_netcdf_classic(at))
    throw not_supported("'" + at.path + "' is a file of netCDF's classic format, which is not read", "Convert it: nccopy -k nc4 in.nc out.nc");
  if (is_hdf4(at)) throw not_supported("'" + at.path + "' is a file of HDF4, which is not read", "Convert it: h4toh5convert in.hdf out.h5");
  if (is_zip(at)) refuse_zip(at);
}

}  // namespace

bool is_hdf5_file(const std::string& path) { return is_hdf5(Looked(path)); }

void refuse_other_files(const std::string& path) { refuse(Looked(path)); }

void refuse_as_raw(const std::string& path) {
  refuse(Looked(path));
  if (is_npy(path) || is_page_file(path))
    throw usage_error("'" + path + "' is " + (is_npy(path) ? "an .npy file" : "a page file of an Octavo array") + ", and no raw one",
                      "Leave its shape and dtype out");
}

void refuse_in_other_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  for (fs::path each = fs::path(path).parent_path(); each.has_relative_path(); each = each.parent_path())
    if (fs::is_regular_file(each, failed) && is_hdf5_file(each.string())) refuse_hdf5(path, each.string());
}

}  // namespace octavo
