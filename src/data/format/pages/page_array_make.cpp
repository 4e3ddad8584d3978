// SPDX-License-Identifier: Apache-2.0
// An Octavo array is made and removed.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>

#include "data/format/pages/page_array.hpp"
#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace fs = std::filesystem;

namespace {

// Of the page files of `path`, without their numbers: "density-8f3a0b11-" for /d/density.octavo.unfinished.
std::string page_file_stem(const std::string& path, const std::string& id) {
  fs::path name = fs::absolute(path).lexically_normal().filename();
  if (name.extension() == ".unfinished") name = name.stem();
  if (name.extension() == ".octavo") name = name.stem();
  return (name.empty() ? "array" : name.string()) + "-" + id.substr(0, 8) + "-";
}

std::string page_file_ending(const std::string& id, std::size_t device) { return "-" + id.substr(0, 8) + "-" + std::to_string(device) + ".pages"; }

// Of the array, by its header; or, where making was interrupted, named for it and without a byte in it that is not 0.
bool may_remove(const PageArray& meta, std::size_t device, const std::string& place, bool half_made) {
  try {
    std::string bytes = page_file_beginning(place);
    if (half_made && place.ends_with(page_file_ending(meta.id, device)) && bytes.find_first_not_of('\0') == std::string::npos) return true;
    return parse_page_file_header(bytes, place).array_id == meta.id;
  } catch (const error&) {
    return false;
  }
}

void remove_page_files(const std::string& path, bool half_made) {
  PageArray meta = read_page_array(path, half_made ? making_json : array_json);
  for (std::size_t device = 0; device < meta.files.size(); ++device) {
    std::string place = page_file_place(path, meta.files[device]);
    struct stat status {};
    bool there = ::lstat(place.c_str(), &status) == 0;
    if (there && may_remove(meta, device, place, half_made)) ::unlink(place.c_str());
    else if (there) log_line("removing '" + path + "': '" + place + "', a page file by its list, is not its own and stays");
    else if (!half_made) log_line("removing '" + path + "': its page file '" + place + "' is not there; if its disk is not mounted, it stays on it");
  }
}

void write_page_array(const std::string& path, const PageArray& meta, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) throw io_error_from(failed.value(), "making the directory '" + path + "'");
  write_file(path + making_json, text);
  sync_directory_of(path);
  for (std::size_t device = 0; device < meta.files.size(); ++device) {
    std::string place = page_file_place(path, meta.files[device]);
    auto doing = [&] { return "making the page file of '" + path + "' in '" + fs::path(place).parent_path().string() + "'"; };
    in_context(doing, [&] { make_page_file(place, header_of(meta, device, meta.id)); });
  }
  if (::rename((path + making_json).c_str(), (path + array_json).c_str()) != 0) throw io_error_from(errno, "renaming '" + path + making_json + "'");
  sync_directory_of(path + array_json);
}

}  // namespace

Storage create_page_array(const Storage& storage, const CreateOptions& options) {
  const std::string& path = storage.path;
  for (std::byte each : options.fill)
    if (each != std::byte{0}) throw not_supported("'" + path + "': an Octavo array with a fill value other than 0", "Write the value into all of it");
  PageArray meta{storage, random_hex(16)};
  meta.map = options.map;
  meta.map_block = options.map_block;
  meta.attributes_json = options.attributes_json;
  meta.dimension_names_json = options.dimension_names_json;
  std::error_code none;
  bool there = fs::exists(path, none);
  for (const auto& directory : device_directories(path, options.devices)) {
    std::string name = page_file_stem(path, meta.id) + std::to_string(meta.files.size()) + ".pages";
    bool inside = options.devices.empty() || (there && fs::equivalent(directory, path, none));
    meta.files.push_back(inside ? name : (fs::path(directory) / name).string());
  }
  check_page_array(meta, "'" + path + "'");
  std::string text = page_array_text(meta);
  meta = parse_page_array(text, path + array_json);  // what was asked for can be read again
  try {
    write_page_array(path, meta, text);
  } catch (...) {
    remove_storage(path);
    if (there) ::mkdir(path.c_str(), 0777);
    throw;
  }
  return open_page_array(path);
}

void remove_storage(const std::string& path) noexcept {
  try {
    std::string name = path;
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    std::error_code ignored;
    bool directory = fs::is_directory(fs::symlink_status(name, ignored));
    for (bool half_made : {false, true}) {
      if (!directory || !fs::exists(name + (half_made ? making_json : array_json), ignored)) continue;
      try {
        remove_page_files(name, half_made);
      } catch (const error& e) {
        log_line("removing '" + name + "': its page files in other directories stay: " + e.what());
      }
    }
    fs::remove_all(name, ignored);
  } catch (...) {  // no memory: as where a file cannot be removed
    return;
  }
}

Storage device_storage(const Storage& array, int device) {
  if (!array.is_paged() || device < 0 || static_cast<std::size_t>(device) >= array.files.size())
    throw usage_error("device " + std::to_string(device) + " of '" + array.path + "', which has " + std::to_string(array.files.size()) + " page files",
                      "Devices are counted from 0");
  return page_file_view(array.files[static_cast<std::size_t>(device)], header_of(array, static_cast<std::size_t>(device)));
}

std::vector<std::pair<std::string, std::int64_t>> bytes_by_place(storage_format format, const std::string& path, const Shape& shape, const Shape& chunk,
                                                                 dtype type, const CreateOptions& options) {
  const Format& wanted = Format::of(format);
  PageArray array{
      {.format = format, .shape = shape, .chunk = wanted.is_one_block() ? shape : chunk, .type = type, .map = options.map, .map_block = options.map_block}};
  if (!wanted.is_paged()) return {{path, wanted.header_bytes() + bytes_needed(array)}};
  auto directories = device_directories(path, options.devices);
  array.files = directories;
  check_page_array(array, "'" + path + "'");
  std::int64_t each = page_file_bytes(array);
  std::vector<std::pair<std::string, std::int64_t>> places;
  std::map<dev_t, std::size_t> known;  // of a disk, its number in `places`
  for (const auto& directory : directories) {
    struct stat status {};
    dev_t disk = ::stat(directory.c_str(), &status) == 0 ? status.st_dev : 0;
    if (known.try_emplace(disk, places.size()).second) places.emplace_back(directory, 0);
    places[known[disk]].second += each;
  }
  return places;
}

}  // namespace octavo
