// SPDX-License-Identifier: Apache-2.0
// Whether the chunks are called what the metadata says. Before zarr 2.8 nothing was said of names like "0/0"; who believes "." finds no chunk, and reads
// the fill value everywhere.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "data/format/zarr/meta.hpp"
#include "machine/utf8.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

constexpr int most_looked_at = 1000;  // of a directory, looked at; the first one that is a chunk says enough
constexpr std::int64_t most_corners = 16;

bool is_chunk_number(std::string_view text) {
  return !text.empty() && text.size() < 20 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Of "c.0.3" and "0.3": whether it is a name with a number for each dimension.
bool is_dotted(std::string_view name, bool v2_keys, int dims) {
  if (!v2_keys && !name.starts_with("c.")) return false;
  if (!v2_keys) name.remove_prefix(2);
  int numbers = 1;
  for (auto dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.'), ++numbers) {
    if (!is_chunk_number(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return is_chunk_number(name) && numbers == dims;
}

// "0/3" below a directory: the first one found by going down, so many levels.
std::optional<std::string> nested_in(const fs::path& directory, int levels) {
  std::error_code failed;
  int entries = 0;
  for (fs::directory_iterator each(directory, failed), end; !failed && each != end && entries < most_looked_at; each.increment(failed), ++entries) {
    std::string name = each->path().filename().string();
    if (!is_chunk_number(name)) continue;
    std::error_code ignored;
    if (levels == 1 && each->is_regular_file(ignored)) return name;
    if (levels == 1 || !each->is_directory(ignored)) continue;
    auto below = nested_in(each->path(), levels - 1);
    return below ? std::optional(name + "/" + *below) : std::nullopt;
  }
  return std::nullopt;
}

// What is called by the other separator, if nothing that was looked at is called by the one that is told.
std::optional<std::string> misnamed(const std::string& path, const Storage& meta) {
  const bool slash = meta.separator == '/';
  const int dims = meta.shape.size();
  std::optional<std::string> found;
  std::error_code failed;
  int entries = 0;
  for (fs::directory_iterator each(path, failed), end; !failed && each != end && entries < most_looked_at; each.increment(failed), ++entries) {
    std::string name = each->path().filename().string();
    std::error_code ignored;
    const bool dotted = is_dotted(name, meta.v2_keys, dims);
    const bool nested = !dotted && (meta.v2_keys ? is_chunk_number(name) : name == "c") && each->is_directory(ignored);
    if (slash ? nested : dotted) return std::nullopt;
    if (found || !(slash ? dotted : nested)) continue;
    if (dotted) found = name;
    else if (auto below = nested_in(each->path(), meta.v2_keys ? dims - 1 : dims)) found = name + "/" + *below;
  }
  return found;
}

// Those at the corners of the array are likely to be there, if any are.
bool has_told_chunk(const std::string& path, const Storage& meta) {
  Shape grid = grid_of(meta.shape, meta.chunk);
  for (std::int64_t corner = 0; corner < std::min(most_corners, std::int64_t{1} << meta.shape.size()); ++corner) {
    Shape index = grid;
    for (int axis = 0; axis < index.size(); ++axis) index[axis] = (corner >> axis & 1) != 0 ? std::max<std::int64_t>(0, grid[axis] - 1) : 0;
    std::error_code failed;
    if (fs::exists(path + "/" + zarr_chunk_key(meta.v2_keys, meta.separator, index), failed)) return true;
  }
  return false;
}

}  // namespace

void check_chunk_names(const std::string& path, const Storage& meta) {
  if (meta.shape.size() < (meta.v2_keys ? 2 : 1)) return;  // the name has no separator
  auto found = misnamed(path, meta);
  if (!found || has_told_chunk(path, meta)) return;
  const bool v2 = meta.zarr_version == 2;
  std::string other = meta.separator == '/' ? "." : "/", field = v2 ? "dimension_separator" : "separator";
  throw usage_error("'" + path + "': its chunks are files such as '" + visible(*found) + "', but by its metadata they are called like '" +
                        zarr_chunk_key(meta.v2_keys, meta.separator, Shape::filled(meta.shape.size(), 0)) +
                        "': none would be found, and all elements would be the fill value",
                    v2 ? "Say so in its .zarray: \"" + field + "\": \"" + other + "\""
                       : "Say so in its zarr.json, in the configuration of chunk_key_encoding: \"" + field + "\": \"" + other + "\"");
}

}  // namespace octavo
