// SPDX-License-Identifier: Apache-2.0
// What may be replaced, and what may be opened.
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_array.hpp"
#include "data/target/hidden.hpp"
#include "data/target/unfinished.hpp"
#include "data/text/json.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

const char* name_of_kind(target_kind kind) {
  switch (kind) {
    case target_kind::zarr: return "a Zarr array";
    case target_kind::pages: return "an Octavo array";
    case target_kind::npy: return "an .npy file";
    case target_kind::raw: return "a raw file";
    case target_kind::hdf5: return "an HDF5 file";
  }
  return "?";
}

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// v3 says in its text whether it is an array; damaged, it could have been a group.
bool is_zarr_array(const std::string& path) {
  if (!is_file(path + "/zarr.json")) return is_file(path + "/.zarray");
  try {
    auto json = parse_json(read_file(path + "/zarr.json", most_metadata_bytes), path + "/zarr.json");
    return json.is_object() && json.value("node_type", Json()) == "array";
  } catch (const error&) {
    return false;
  }
}

// The directory "c"; or in the root "c.1.2", and of older ones "0" and "1.2".
bool is_chunk_name(std::string_view name) {
  if (name == "c") return true;
  if (name.starts_with("c.")) name.remove_prefix(2);
  return name.find_first_not_of("0123456789.") == std::string_view::npos && name.find_first_of("0123456789") == 0;
}

// Something in the array's directory that no array has there; empty if there is none.
std::string foreign_entry(const std::string& path, target_kind kind) {
  constexpr std::array of_zarr{"zarr.json", ".zarray", ".zattrs", ".zmetadata", ".DS_Store"};
  constexpr std::array of_pages{"array.json", "making.json", ".DS_Store"};
  for (const auto& each : fs::directory_iterator(path)) {
    std::string name = each.path().filename().string();
    auto is_name = [&](std::string_view known) { return name == known || name == std::string(known) + unfinished_ending; };
    const bool known = kind == target_kind::zarr ? is_chunk_name(name) || std::any_of(of_zarr.begin(), of_zarr.end(), is_name)
                                                 : each.path().extension() == ".pages" || std::any_of(of_pages.begin(), of_pages.end(), is_name);
    if (!known) return name;
  }
  return {};
}

// Its first bytes are those of the kind, or those of one that was never finished, or it is empty.
bool has_head(const std::string& path, std::string_view head) {
  std::string start = read_bytes(open_to_read(path), path, std::ssize(head));
  return start.empty() || start == head || is_hidden(path);
}

// After a user block of 512 bytes, 1024, 2048 and so on it is HDF5 as well.
bool has_hdf5_head(const std::string& path) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  if (has_head(path, signature)) return true;
  Fd file = open_to_read(path);
  for (std::int64_t at = 512; at <= MiB; at *= 2)
    if (read_bytes(file, path, std::ssize(signature), at) == signature) return true;
  return false;
}

bool is_of_kind(const std::string& path, mode_t mode, target_kind kind) {
  if (S_ISLNK(mode)) return true;  // only the link is replaced
  bool directory = kind == target_kind::zarr || kind == target_kind::pages;
  if (directory ? !S_ISDIR(mode) : !S_ISREG(mode)) return false;
  if (directory && fs::is_empty(path)) return true;
  switch (kind) {
    case target_kind::zarr: return is_zarr_array(path) || is_hidden(path);
    case target_kind::pages: return is_page_array(path);
    case target_kind::npy: return has_head(path, "\x93NUMPY");
    case target_kind::hdf5: return has_hdf5_head(path);
    case target_kind::raw: return true;
  }
  return false;
}

}  // namespace

void check_target(const std::string& path, target_kind kind, bool overwrite) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw io_error_from(errno, "looking at the target '" + path + "'");
  }
  if (!overwrite) throw usage_error("the target '" + path + "' exists", "Give another name, or overwrite=True");
  if (!is_of_kind(path, status.st_mode, kind))
    throw usage_error("the target '" + path + "' is not " + name_of_kind(kind) + ": replacing it would remove what else it holds",
                      "Give another name, or remove it yourself");
  if (!S_ISDIR(status.st_mode)) return;
  if (auto other = foreign_entry(path, kind); !other.empty())
    throw usage_error("the target '" + path + "' holds '" + other + "', which is no part of an array: replacing it would remove that, too",
                      "Move '" + other + "' away, or give another name");
}

void check_finished(const std::string& path) {
  auto unfinished = [&](const fs::path& what) {
    return io_error("'" + path + "' is not a whole array: '" + what.string() + "' is what a job left that did not finish",
                    "Run the job again: it removes this");
  };
  std::error_code failed;
  fs::path whole = fs::weakly_canonical(path, failed);
  if (failed) return;  // opening it will say why
  if (has_unfinished_ending(whole.filename().string())) throw unfinished(whole);
  for (fs::path each = whole; each.has_relative_path(); each = each.parent_path())
    if (is_file(each.string() + "/" + unfinished_record)) throw unfinished(each);
  if (is_hidden(whole.string())) throw unfinished(whole);
}

}  // namespace octavo
