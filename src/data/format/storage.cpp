// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/storage.hpp"

#include <sys/statvfs.h>

#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_array.hpp"
#include "data/format/zarr/fill.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/io/convert.hpp"
#include "data/text/json.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

StoredBlock block_of(const Storage& storage, const Shape& chunk_index) {
  Shape grid = grid_of(storage.shape, storage.block());
  Box one{chunk_index, chunk_index};
  for (int axis = 0; axis < chunk_index.size(); ++axis) ++one.hi[axis];
  if (chunk_index.size() != grid.size() || !Box::whole(grid).contains(one))
    throw usage_error("chunk (" + chunk_index.text() + ") of '" + storage.path + "', which has " + grid.text() + " chunks");
  StoredBlock block{storage.path, storage.offset, storage.block(), storage.type, storage.order};
  block.fixed = storage.path.size();
  if (storage.format == storage_format::zarr) {
    block.file += "/" + zarr_chunk_key(storage.v2_keys, storage.separator, chunk_index);
    block.offset = 0;
    block.file_bytes = block.bytes();
    block.is_file = true;
    block.fill = storage.fill;
    block.used = storage.shape;
    for (int axis = 0; axis < block.used.size(); ++axis)
      block.used[axis] = std::min(block.shape[axis], storage.shape[axis] - chunk_index[axis] * block.shape[axis]);
  } else if (storage.format == storage_format::pages) {
    auto place = storage.page_map().place_of(chunk_index);
    block.file = storage.files.at(static_cast<std::size_t>(place.device));
    block.fixed = block.file.size();
    block.offset += place.index * block.bytes();
    block.file_bytes = page_file_bytes(storage);
  } else {
    if (storage.format == storage_format::page_file) block.offset += flatten(chunk_index, grid) * block.bytes();
    block.file_bytes = storage.offset + bytes_needed(storage);
  }
  return block;
}

std::vector<std::byte> fill_as(const Storage& storage, dtype as) {
  if (storage.fill.empty()) return {};
  return converted_element(storage.fill, storage.type, as);
}

std::string fill_text(const std::vector<std::byte>& element, dtype type) { return json_text(fill_json(element, type)); }

std::vector<std::byte> fill_of_text(const std::string& json, dtype type) { return parse_fill(parse_json(json, "the fill value"), type, "the fill value"); }

std::int64_t bytes_needed(const Storage& storage) {
  if (storage.format == storage_format::pages) return storage.page_map().devices() * page_file_bytes(storage);
  return storage.grid().count() * storage.chunk.count() * size_of(storage.type);
}

std::int64_t bytes_free(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path place = fs::absolute(path, failed);
  while (!fs::exists(place, failed) && place.has_relative_path()) place = place.parent_path();
  struct statvfs status {};
  if (::statvfs(place.c_str(), &status) != 0) throw io_error_from(errno, "asking for the free space of '" + place.string() + "'");
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

}  // namespace octavo
