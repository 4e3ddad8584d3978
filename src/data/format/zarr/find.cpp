// SPDX-License-Identifier: Apache-2.0
// What a directory is: a Zarr array, v3 or v2, or a group with arrays in it.
#include <algorithm>
#include <deque>
#include <filesystem>

#include "data/format/zarr/meta.hpp"
#include "data/text/text_file.hpp"
#include "machine/utf8.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_names = 10;
constexpr int most_entries = 10'000;  // looked at in a group
constexpr int deepest_group = 16;

bool is_there(const std::string& file) {
  std::error_code failed;
  auto status = fs::status(file, failed);
  if (status.type() == fs::file_type::none) throw io_error_from(failed.value(), "looking for '" + file + "'");
  return status.type() != fs::file_type::not_found;
}

bool is_group(const Json& json) { return json.is_object() && json.value("zarr_format", Json()) == 3 && json.value("node_type", Json()) == "group"; }

enum class node_kind { none, array, group };

node_kind node_at(const std::string& path) {
  std::error_code failed;
  if (fs::is_regular_file(path + "/zarr.json", failed)) {
    try {
      std::string file = path + "/zarr.json";
      return is_group(parse_json(read_file(file, largest_json), file)) ? node_kind::group : node_kind::array;
    } catch (const error&) {
      return node_kind::none;  // of no help to anybody
    }
  }
  if (fs::is_regular_file(path + "/.zarray", failed)) return node_kind::array;
  return fs::is_regular_file(path + "/.zgroup", failed) ? node_kind::group : node_kind::none;
}

std::vector<std::string> directories_in(const std::string& path, int& entries) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator each(path, failed), end; !failed && each != end && entries < most_entries; each.increment(failed), ++entries)
    if (std::error_code ignored; each->is_directory(ignored)) names.push_back(each->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Level by level, up to one name more than are told.
std::vector<std::string> arrays_in(const std::string& group) {
  std::vector<std::string> arrays;
  std::deque<std::pair<std::string, int>> groups{{"", 0}};
  for (int entries = 0; !groups.empty() && arrays.size() <= most_names; groups.pop_front()) {
    auto [at, depth] = groups.front();
    for (const auto& name : directories_in(group + "/" + at, entries)) {
      std::string inner = at.empty() ? name : at + "/" + name;
      node_kind node = node_at(group + "/" + inner);
      if (node == node_kind::array) arrays.push_back(inner);
      if (node == node_kind::group && depth < deepest_group) groups.emplace_back(inner, depth + 1);
      if (arrays.size() > most_names) break;
    }
  }
  return arrays;
}

usage_error group_error(const std::string& path, const char* kind) {
  auto names = arrays_in(path);
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) list += std::string(i == 0 ? "'" : ", '") + visible(names[i]) + "'";
  if (names.size() > most_names) list += " and more";
  if (names.empty()) list = "none that was found";
  return usage_error("'" + path + "' is a Zarr " + kind + " group, not an array; arrays in it: " + list,
                     names.empty() ? "Name one of the arrays within it" : "Name one of the arrays within it, such as '" + path + "/" + visible(names[0]) + "'");
}

Storage with_chunks_found(const std::string& path, Storage meta) {
  check_chunk_names(path, meta);
  return meta;
}

}  // namespace

std::string zarr_metadata_in(const std::string& path) {
  for (const char* name : zarr_metadata_names)
    if (std::error_code failed; fs::exists(path + name, failed)) return path + name;
  return {};
}

Storage read_zarr_meta(const std::string& path) {
  std::string v3 = path + "/zarr.json", v2 = path + "/.zarray", attributes = path + "/.zattrs";
  if (is_there(v3)) {
    Json json = parse_json(read_file(v3, largest_json), v3);
    if (is_group(json)) throw group_error(path, "v3");
    return with_chunks_found(path, zarr_meta_of(json, v3));
  }
  if (is_there(v2)) {
    std::string about = is_there(attributes) ? read_file(attributes, largest_json) : "";
    return with_chunks_found(path, parse_zarr2_meta(read_file(v2, largest_json), about, path));
  }
  if (is_there(path + "/.zgroup")) throw group_error(path, "v2");
  throw usage_error("'" + path + "' has no zarr.json and no .zarray: it is not a Zarr array", "Check the path");
}

}  // namespace octavo
