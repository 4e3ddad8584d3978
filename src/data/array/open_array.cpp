// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/open_array.hpp"

#include "data/target/unfinished.hpp"
#include "octavo/data/store.hpp"

namespace octavo {

namespace {

constexpr std::int64_t least_page = 1 * MiB, slab_page_bytes = 4 * MiB;

template <class Device>
Array on_one_device(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options) {
  remote_ptr<PageDevice> device = at.make<Device>(storage, page, options);
  return Array(storage.shape, page, storage.type, {device});
}

// Begun together, so that the processes start at once.
template <class Begin>
std::vector<remote_ptr<PageDevice>> make_devices(int count, Begin&& begin) {
  std::vector<decltype(begin(0))> making;
  for (int i = 0; i < count; ++i) making.push_back(begin(i));
  std::vector<remote_ptr<PageDevice>> devices;
  for (auto& each : making) devices.emplace_back(each.get());
  return devices;
}

// Each can decode and encode every page.
Array on_stores(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options, int servers) {
  auto devices = make_devices(servers, [&](int) { return start(at.served_by(storage.server)).make<StoreDevice>(storage, page, options); });
  return Array(storage.shape, page, storage.type, std::move(devices), PageMap(map_kind::any, grid_of(storage.shape, page), servers));
}

Array on_page_files(const Place& at, const Storage& storage, const DeviceOptions& options) {
  auto begin = [&](int device) { return start(at).make<PageFile>(device_storage(storage, device), storage.chunk, options); };
  return Array(storage.shape, storage.chunk, storage.type, make_devices(static_cast<int>(storage.files.size()), begin), storage.page_map());
}

}  // namespace

Array open_array(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options, int servers) {
  switch (storage.format) {
    case storage_format::zarr: return on_one_device<ZarrDevice>(at, storage, page, options);
    case storage_format::page_file: return on_one_device<PageFile>(at, storage, page, options);
    case storage_format::npy:
    case storage_format::raw: return on_one_device<FlatFile>(at, storage, page, options);
    case storage_format::pages: return on_page_files(at, storage, options);
    case storage_format::store: return on_stores(at, storage, page, options, servers);
  }
  __builtin_unreachable();
}

Array open_array(const std::string& path, const OpenOptions& options) {
  const Storage storage = open_storage(path, options.raw);
  return open_array(options.at, storage, default_page(storage), options.devices);
}

Array create_array(const std::string& path, const Shape& shape, dtype type, const NewArrayOptions& options) {
  const auto format = format_of_ending(path);
  NewTarget target(path, kind_of(format), options.overwrite);
  create_storage(format, target.place(), shape, options.chunk.size() == 0 ? default_chunk(shape, size_of(type)) : options.chunk, type, options.stored);
  target.made();
  target.finish();
  OpenOptions opened = options.opened;
  if (format == storage_format::raw) opened.raw = RawLayout{shape, type, options.stored.order};
  return open_array(path, opened);
}

Shape default_page(const Storage& storage) {
  Shape page = storage.chunk;
  std::int64_t element = size_of(storage.type);
  bool whole = page == storage.shape;
  // A dense array is cut along its first axes; small chunks are taken together along the last ones.
  for (int i = 0; whole && i < page.size() && page.count() * element > slab_page_bytes; ++i)
    page[i] = std::max<std::int64_t>(1, slab_page_bytes / (page.count(i + 1, page.size()) * element));
  for (int i = page.size() - 1; i >= 0; --i)
    while (page[i] < storage.shape[i] && page.count() * element < least_page) page[i] *= 2;
  return page;
}

}  // namespace octavo
