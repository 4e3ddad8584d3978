// SPDX-License-Identifier: Apache-2.0
// How a device with a name (process/named.hpp) is made again (D-10): its state says where its pages lie, and whether some of them may be lost.
#include "data/device/device_state.hpp"

#include <filesystem>
#include <tuple>

#include "data/format/npy.hpp"
#include "data/format/pages/page_file.hpp"
#include "data/format/zarr/meta.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

std::string id_in(const PageFileHeader& header) {
  return header.array_id + ", device " + std::to_string(header.device) + " of " + std::to_string(header.devices);
}

io_error another_one(const Storage& storage, const std::string& what) {
  return io_error("'" + storage.path + "' is another one than that of this device: " + what, "Put the file back, or destroy the device and make it again");
}

std::string text_of(const Shape& shape, dtype type) { return shape.text() + " " + std::string(name_of(type)); }

// How its own text describes an array, as far as the pages depend on it: attributes may change.
void check_zarr(const Storage& storage) {
  const Storage now = read_zarr_meta(storage.path);
  auto described = [](const Storage& of) { return std::tie(of.shape, of.chunk, of.type, of.fill, of.v2_keys, of.separator, of.write_chunk, of.spec); };
  if (described(now) != described(storage) || (now.order != storage.order && size_of(now.type) > 1))
    throw another_one(storage, "it has " + text_of(now.shape, now.type) + " in chunks of " + now.chunk.text() +
                                   "; or its fill value, byte order, codecs or names of chunks are others");
}

void check_npy(const Storage& storage) {
  const NpyHeader now = read_npy(storage.path);
  if (now.shape != storage.shape || now.type != storage.type || now.offset != storage.offset || (now.order != storage.order && size_of(now.type) > 1))
    throw another_one(storage, "it has " + text_of(now.shape, now.type) + " from byte " + std::to_string(now.offset) + " on");
}

void check_page_file(const DeviceState& state) {
  const Storage& storage = state.storage;
  const auto header = read_page_file_header(storage.path);
  const auto view = page_file_view(storage.path, header);
  if (view.shape != storage.shape || view.type != storage.type || view.order != storage.order || view.offset != storage.offset)
    throw another_one(storage, "it has " + header.text());
  if (!state.file_id.empty() && id_in(header) != state.file_id) throw another_one(storage, "its header has the id " + id_in(header) + ", not " + state.file_id);
}

void check_raw(const Storage& storage) {
  std::error_code failed;
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(storage.path, failed));
  if (failed) throw io_error_from(failed.value(), "looking at '" + storage.path + "'");
  if (found < storage.offset + bytes_needed(storage)) throw another_one(storage, "it has " + std::to_string(found) + " bytes");
}

void check_file(const DeviceState& state) {
  const Storage& storage = state.storage;
  switch (storage.format) {
    case storage_format::page_file: return check_page_file(state);
    case storage_format::zarr: return check_zarr(storage);
    case storage_format::npy: return check_npy(storage);
    case storage_format::raw: return check_raw(storage);
    case storage_format::hdf5:
    case storage_format::pages:
    case storage_format::store: return;  // no device with a name has such
  }
}

}  // namespace

std::string file_id_of(const Storage& storage) {
  return storage.format == storage_format::page_file ? id_in(read_page_file_header(storage.path)) : std::string();
}

void check_is_there(const DeviceState& state) {
  try {
    check_file(state);
  } catch (const usage_error& e) {  // it is no such file at all
    throw another_one(state.storage, e.message());
  } catch (const not_supported& e) {  // or one that this version cannot read
    throw another_one(state.storage, e.message());
  }
}

std::exception_ptr lost_in(const DeviceState& state) {
  if (state.unflushed.empty()) return nullptr;
  return std::make_exception_ptr(
      io_error("what was written behind to '" + state.storage.path + "', and not flushed, may be lost: the process of its device died",
               "Write it again, and flush() more often"));
}

}  // namespace octavo
