// SPDX-License-Identifier: Apache-2.0
// Devices that are made of a path: which Storage it is. And what octavo-server can make, for programs that know no more than the library.
#include <filesystem>

#include "data/format/pages/page_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"
#include "octavo/process/named.hpp"

namespace octavo {

namespace {

Storage page_file_storage(const std::string& path, std::int64_t pages, const Shape& page, dtype type) {
  Shape shape = page_file_shape(page, pages, type, path);
  if (!std::filesystem::exists(path)) return create_storage(storage_format::page_file, path, shape, page, type);
  PageFileHeader header = read_page_file_header(path);
  if (header.pages != pages || header.page != page || header.type != type)
    throw usage_error(
        "the page file '" + path + "' has " + header.text() + "; asked for were " + PageFileHeader{.type = type, .page = page, .pages = pages}.text(),
        "Give the shape it was made with, or another path");
  return page_file_view(path, header);
}

Storage zarr_storage(const std::string& path) {
  Storage storage = open_storage(path);
  if (storage.format != storage_format::zarr) throw usage_error("'" + path + "' is no Zarr array");
  return storage;
}

}  // namespace

PageFile::PageFile(const std::string& path, std::int64_t pages, const Shape& page, dtype type, DeviceOptions options)
    : StoredDevice(page_file_storage(path, pages, page, type), page, options) {}

ZarrDevice::ZarrDevice(const std::string& path, DeviceOptions options) : ZarrDevice(zarr_storage(path), options) {}
ZarrDevice::ZarrDevice(const Storage& storage, DeviceOptions options) : StoredDevice(storage, storage.chunk, options) {}

namespace {
using detail::ConstructorOf;
using detail::StateOf;
[[maybe_unused]] const bool stored_devices_are_served =
    detail::serve_built_in(ConstructorOf<PageFile, Storage, Shape, DeviceOptions>::entry) &&
    detail::serve_built_in(ConstructorOf<ZarrDevice, Storage, Shape, DeviceOptions>::entry) &&
    detail::serve_built_in(ConstructorOf<FlatFile, Storage, Shape, DeviceOptions>::entry) &&
    detail::serve_built_in(ConstructorOf<PageFile, std::string, std::int64_t, Shape, dtype, DeviceOptions>::entry);
[[maybe_unused]] const bool stored_devices_come_back =
    detail::serve_built_in(StateOf<PageFile>::entry) && detail::serve_built_in(StateOf<ZarrDevice>::entry) && detail::serve_built_in(StateOf<FlatFile>::entry);
}  // namespace

}  // namespace octavo
