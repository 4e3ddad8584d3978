// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/open_array.hpp"

#include <thread>

#include "data/array/devices_of.hpp"
#include "data/array/take_made.hpp"
#include "data/format/table/format.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/new_target.hpp"
#include "octavo/data/store.hpp"

namespace octavo {

namespace {

constexpr std::int64_t least_page = 1 * MiB, slab_page_bytes = 4 * MiB, most_to_encode = 256 * MiB;

// Begun together, so that the processes start at once. Where one cannot be made, the others are destroyed.
template <class Device>
std::vector<remote_ptr<PageDevice>> all_made(std::vector<future<remote_ptr<Device>>> making) {
  std::vector<remote_ptr<PageDevice>> devices;
  try {
    take_made(std::move(making), devices);
  } catch (...) {
    for (const auto& each : devices) const scoped<PageDevice> unwanted(each);
    throw;
  }
  return devices;
}

// Each can decode and encode every page.
Array on_servers(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options, int servers) {
  std::vector<future<remote_ptr<StoreDevice>>> making;
  const Place served = at.served_by(storage.server);
  for (int i = 0; i < servers; ++i) making.push_back(start(served).make<StoreDevice>(storage, page, options));
  return Array(storage.shape, page, storage.type, all_made(std::move(making)), PageMap(map_kind::any, grid_of(storage.shape, page), servers));
}

}  // namespace

Array open_array(const Place& at, const Storage& storage, const Shape& page, const DeviceOptions& options, int servers) {
  if (storage.is_served()) return on_servers(at, storage, page, options, servers);
  const StoredDevices devices = devices_of(storage, page);
  std::vector<future<remote_ptr<PageDevice>>> making;
  making.reserve(devices.parts.size());
  for (const Storage& each : devices.parts) {
    auto made = std::make_shared<detail::State<void>>();
    const Address address = devices.device.begin(made, at.placement(), each, devices.page, options);
    making.push_back(detail::pointer_when<PageDevice>(std::move(made), address));
  }
  return Array(storage.shape, devices.page, storage.type, all_made(std::move(making)), devices.map);
}

Array open_array(const std::string& path, const OpenOptions& options) {
  const auto& machine = options.at.placement().machine;
  if (path.starts_with("ov://")) return open_named_array(Machine(machine.empty() ? "local" : machine), path);
  return open_array(open_storage(path, options.raw), options);
}

Array open_array(const Storage& storage, const OpenOptions& options) {
  DeviceOptions devices = options.devices;
  if (storage.is_encoded() && devices.staging_bytes == DeviceOptions().staging_bytes)
    devices.staging_bytes = encoding_memory(storage, true, static_cast<int>(std::thread::hardware_concurrency()), most_to_encode);
  return open_array(options.at, storage, default_page(storage), devices);
}

Array create_array(const std::string& path, const Shape& shape, dtype type, const NewArrayOptions& options) {
  const auto format = format_of_ending(path);
  NewTarget target(path, format, options.overwrite);
  create_storage(format, target.place(), shape, options.chunk.size() == 0 ? default_chunk(shape, size_of(type)) : options.chunk, type, options.stored);
  target.made();
  target.finish();
  OpenOptions opened = options.opened;
  if (Format::of(format).is_bare()) opened.raw = RawLayout{shape, type, options.stored.order};
  return open_array(path, opened);
}

Shape default_page(const Storage& storage, std::int64_t most) {
  const std::int64_t element = size_of(storage.type);
  // What is written whole, so that no shard is written twice; if that is too long for a page, the chunk.
  Shape page = storage.block().count() * element <= most ? storage.block() : storage.chunk;
  bool whole = page == storage.shape;
  // A dense array is cut along its first axes; small chunks are taken together along the last ones. Encoded ones along the first: each lies in one piece of
  // the page then, and is decoded to its place.
  for (int i = 0; whole && i < page.size() && page.count() * element > slab_page_bytes; ++i)
    page[i] = std::max<std::int64_t>(1, slab_page_bytes / (page.count(i + 1, page.size()) * element));
  for (int i = 0; i < page.size(); ++i) {
    const int axis = storage.is_encoded() ? i : page.size() - 1 - i;
    while (page[axis] < storage.shape[axis] && page.count() * element < least_page) page[axis] *= 2;
  }
  return page;
}

}  // namespace octavo
