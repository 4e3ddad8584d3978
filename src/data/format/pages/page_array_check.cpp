// SPDX-License-Identifier: Apache-2.0
// What fits together: shape, page, map and devices; directories; an array.json and its page files.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_array.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

// Says what of the page file is not as the array has it; empty: all is.
std::string difference(const PageFileHeader& found, const PageFileHeader& wanted) {
  if (found.array_id != wanted.array_id) return "it belongs to the array " + found.array_id + ", not to " + wanted.array_id;
  auto place = [](const PageFileHeader& header) { return "device " + std::to_string(header.device) + " of " + std::to_string(header.devices); };
  if (found.device != wanted.device || found.devices != wanted.devices) return "it is " + place(found) + ", not " + place(wanted);
  if (found.order != wanted.order) return "it has the other byte order";
  if (!(found == wanted)) return "it has " + found.text() + ", not " + wanted.text();
  return {};
}

void check_file(const PageArray& meta, std::size_t device, const std::string& path, const std::string& place) {
  std::error_code failed;
  if (!fs::exists(place, failed) && !failed)
    throw io_error("the page file '" + place + "' of the array '" + path + "' is not there",
                   "Mount its disk; if the file was moved, write its new place into '" + path + array_json + "'");
  auto found = in_context([&] { return "the array '" + path + "'"; }, [&] { return read_page_file_header(place); });
  if (auto what = difference(found, header_of(meta, device, meta.id)); !what.empty())
    throw usage_error("the page file '" + place + "' is not the one the array '" + path + "' means: " + what,
                      "Put the right file there, or write its place into '" + path + array_json + "'");
}

}  // namespace

std::int64_t page_file_bytes(const Storage& array) {
  PageFileHeader header = header_of(array, 0);
  std::string what = "an array of " + array.shape.text() + " on " + std::to_string(header.devices) + " devices";
  std::int64_t all = 0;
  page_file_shape(header.page, header.pages, header.type, what);
  if (__builtin_mul_overflow(header.file_bytes(), header.devices, &all) || all > std::int64_t{1} << 62)
    throw usage_error(what + " takes more than 2^62 bytes", "Check the shape; no disk holds that");
  return header.file_bytes();
}

void check_page_array(const PageArray& meta, const std::string& what) {
  if (meta.shape.size() == 0) throw not_supported(what + ": an Octavo array without a dimension", "Give it one of extent 1");
  if (meta.chunk.size() != meta.shape.size())
    throw usage_error(what + ": pages of " + meta.chunk.text() + " for an array of " + meta.shape.text(), "Give the page an extent for each dimension");
  check_elements(meta.shape, meta.type, what);
  check_elements(meta.chunk, meta.type, what + ": the page");
  Shape stored = meta.shape;
  for (int axis = 0; axis < stored.size(); ++axis) stored[axis] = ((meta.shape[axis] - 1) / meta.chunk[axis] + 1) * meta.chunk[axis];  // both are at most 2^62
  check_elements(stored, meta.type, what + ": the shape in whole pages");
  std::int64_t pages = meta.grid().count(), devices = static_cast<std::int64_t>(meta.files.size());
  if (stored.count() * size_of(meta.type) > (std::int64_t{1} << 62) / devices)  // so that nothing the map computes leaves 63 bits
    throw usage_error(what + ": an array of shape " + meta.shape.text() + " on " + std::to_string(devices) + " devices", "Check the shape; no disk holds that");
  if (meta.map_block < 1 || meta.map_block > pages || (meta.map == map_kind::circulant && meta.map_block != 1))
    throw usage_error(what + ": a map of blocks of " + std::to_string(meta.map_block) + " pages; the array has " + std::to_string(pages),
                      "A block-cyclic map has blocks of 1 page up to all; a circulant one has none");
  in_context([&] { return what; }, [&] { return page_file_bytes(meta); });
}

std::vector<std::string> device_directories(const std::string& path, const std::vector<std::string>& given) {
  if (given.size() > most_devices)
    throw usage_error("'" + path + "': " + std::to_string(given.size()) + " devices", "Give at most " + std::to_string(most_devices) + " directories");
  std::vector<std::string> result;
  for (const auto& each : given) {
    std::string what = "the device directory '" + each + "' of '" + path + "'";
    std::error_code failed;
    auto place = fs::canonical(each, failed);
    if (failed) throw io_error_from(failed.value(), what);
    if (!fs::is_directory(place)) throw usage_error(what + " is no directory", "Name a directory on each disk");
    if (::access(place.c_str(), W_OK | X_OK) != 0) throw io_error_from(errno, "writing to " + what);
    if (std::find(result.begin(), result.end(), place.string()) != result.end())
      throw usage_error(what + " was given twice", "Name each directory once; a disk needs only one");
    result.push_back(place.string());
  }
  if (result.empty()) result.push_back(path);
  return result;
}

std::string page_file_place(const std::string& path, const std::string& name) { return name[0] == '/' ? name : path + "/" + name; }

bool is_page_array(const std::string& path) noexcept {
  struct stat status {};
  try {
    return ::stat((path + array_json).c_str(), &status) == 0 || ::stat((path + making_json).c_str(), &status) == 0;
  } catch (...) {
    return false;  // no memory
  }
}

Storage open_page_array(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path + array_json, ignored))
    throw io_error("the array '" + path + "' was never finished: making it was interrupted", "Remove it and make it again");
  PageArray array = read_page_array(path, array_json);
  array.path = path;
  for (std::size_t device = 0; device < array.files.size(); ++device) {
    array.files[device] = page_file_place(path, array.files[device]);
    check_file(array, device, path, array.files[device]);
  }
  return array;
}

}  // namespace octavo
