// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>

#include "data/format/npy.hpp"
#include "data/format/pages/page_array.hpp"
#include "data/format/xarray/missing.hpp"
#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/io/files/reserve.hpp"
#include "data/target/target_lock.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

void check_new(storage_format format, const std::string& path) {
  std::error_code failed;
  auto status = fs::symlink_status(path, failed);
  if (status.type() == fs::file_type::not_found) return;
  if ((format == storage_format::zarr || format == storage_format::pages) && fs::is_directory(status) && fs::is_empty(path, failed)) return;
  throw usage_error("'" + path + "' exists already", "Remove it, or choose another path");
}

void check_chunk(const Shape& shape, const Shape& chunk, dtype type, const std::string& path) {
  if (chunk.size() != shape.size())
    throw usage_error("'" + path + "': chunks of " + chunk.text() + " for an array of " + shape.text(), "Give the chunk an extent for each dimension");
  check_elements(chunk, type, "'" + path + "': the chunk");
  Shape stored = shape;
  for (int axis = 0; axis < shape.size(); ++axis) stored[axis] = (shape[axis] + chunk[axis] - 1) / chunk[axis] * chunk[axis];
  check_shape(stored, type, "'" + path + "': the shape in whole chunks");
}

void create_zarr(const Storage& storage) {
  if (storage.zarr_version == 2) {
    std::string array = zarr2_meta_text(storage), attributes = zarr2_attributes_text(storage);
    if (!attributes.empty()) write_file(storage.path + "/.zattrs", attributes);
    write_file(storage.path + "/.zarray", array);  // last: it makes the directory an array
  } else {
    write_file(storage.path + "/zarr.json", zarr_meta_text(storage));
    if (storage.separator == '/' && storage.shape.size() > 0)
      std::filesystem::create_directory(storage.path + "/c");  // that it goes can be noticed (data/target/identity.hpp)
  }
  sync_directory_of(storage.path);
}

void create_file(const Storage& storage) {
  Fd file = make_file(storage.path);
  try {
    reserve_file(file.get(), storage.path, storage.offset + bytes_needed(storage));
    if (storage.format == storage_format::npy) write_bytes(file, storage.path, npy_header_text(storage.shape, storage.type));
    sync_file(file, storage.path);
  } catch (...) {
    ::unlink(storage.path.c_str());
    throw;
  }
  sync_directory_of(storage.path);
}

}  // namespace

Storage create_storage(storage_format format, const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& options) {
  const bool flat = format == storage_format::npy || format == storage_format::raw;
  Storage result{format, path, shape, flat ? at_least_one(shape) : chunk, type, options.order};
  while (result.path.size() > 1 && result.path.back() == '/') result.path.pop_back();
  result.separator = options.separator;
  bool paged = format == storage_format::page_file || format == storage_format::pages;
  paged ? check_elements(shape, type, "'" + path + "'") : check_shape(shape, type, "'" + path + "'");
  check_chunk(shape, result.chunk, type, path);
  if (options.separator != '/' && options.separator != '.')
    throw usage_error("'" + path + "': chunk keys separated by '" + options.separator + "'", "Choose '/' or '.'");
  if (options.zarr_version != 2 && options.zarr_version != 3)
    throw usage_error("'" + path + "': Zarr version " + std::to_string(options.zarr_version), "Choose 2 or 3");
  if (!options.fill.empty() && static_cast<std::int64_t>(options.fill.size()) != size_of(type))
    throw usage_error("'" + path + "': a fill element of " + std::to_string(options.fill.size()) + " bytes for " + std::string(name_of(type)),
                      "Give one element");
  if (format == storage_format::npy && options.order == byte_order::big) throw not_supported("'" + path + "': writing a big-endian .npy", "Choose little");
  if (format != storage_format::pages && !options.devices.empty())
    throw usage_error("'" + path + "': devices are for Octavo arrays", "Give none, or end the path in .octavo");
  const bool encoded = options.shard.size() > 0 || options.level || (!options.compressor.empty() && options.compressor != "none");
  if (format != storage_format::zarr && encoded) throw usage_error("'" + path + "': a compressor and shards are for Zarr", "Leave them out, or end the path in .zarr");
  // A page file is part of something that is locked, or of a device.
  TargetLock lock = format == storage_format::page_file ? TargetLock() : TargetLock::of(result.path);
  check_new(format, result.path);
  if (format == storage_format::zarr) {
    result.fill = options.fill.empty() ? std::vector<std::byte>(static_cast<std::size_t>(size_of(type))) : options.fill;
    result.zarr_version = options.zarr_version;
    result.v2_keys = options.zarr_version == 2;
    result.fill_is_missing = options.zarr_version == 2 && !options.fill.empty();
    result.attributes_json = attributes_for(options.attributes_json, type, options.zarr_version == 3);
    result.dimension_names_json = options.dimension_names_json;
    choose_codecs(options, result);
    create_zarr(result);
  } else if (format == storage_format::page_file) {
    result.offset = page_file_header_bytes;
    make_page_file(result.path, {random_hex(16), 0, 1, type, result.order, result.chunk, result.grid().count()});
  } else if (format == storage_format::pages) {
    return create_page_array(result, options);
  } else {
    if (format == storage_format::npy) result.offset = npy_data_offset;
    create_file(result);
  }
  return result;
}

}  // namespace octavo
