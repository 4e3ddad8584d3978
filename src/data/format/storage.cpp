// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/storage.hpp"

#include <sys/statvfs.h>

#include <cerrno>
#include <filesystem>

#include "data/format/pages/page_array.hpp"
#include "data/format/table/format.hpp"
#include "data/format/zarr/fill.hpp"
#include "data/io/convert.hpp"
#include "data/text/json.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

bool Storage::is_paged() const { return Format::of(format).is_paged(); }

StoredBlock block_of(const Storage& storage, const Shape& index) {
  Shape grid = grid_of(storage.shape, storage.block());
  Box one{index, index};
  for (int axis = 0; axis < index.size(); ++axis) ++one.hi[axis];
  if (index.size() != grid.size() || !Box::whole(grid).contains(one))
    throw usage_error("chunk (" + index.text() + ") of '" + storage.path + "', which has " + grid.text() + " chunks");
  StoredBlock block{storage.path, storage.offset, storage.block(), storage.type, storage.order};
  block.fixed = storage.path.size();
  Format::of(storage.format).place(storage, index, block);
  return block;
}

std::vector<std::byte> fill_as(const Storage& storage, dtype as) {
  if (storage.fill.empty()) return {};
  return converted_element(storage.fill, storage.type, as);
}

std::string fill_text(const std::vector<std::byte>& element, dtype type) { return json_text(fill_json(element, type)); }

std::vector<std::byte> fill_of_text(const std::string& json, dtype type) { return parse_fill(parse_json(json, "the fill value"), type, "the fill value"); }

std::int64_t bytes_needed(const Storage& storage) {
  if (storage.is_paged()) return storage.page_map().devices() * page_file_bytes(storage);
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
