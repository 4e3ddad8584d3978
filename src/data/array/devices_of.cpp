// SPDX-License-Identifier: Apache-2.0
#include "data/array/devices_of.hpp"

#include "data/array/checked_grid.hpp"
#include "data/format/table/format.hpp"

namespace octavo {

StoredDevices devices_of(const Storage& storage, const Shape& page) {
  const DeviceClass& device = Format::of(storage.format).device(storage);
  if (!storage.is_paged()) return {device, {storage}, page, PageMap::circulant(checked_grid(storage.shape, page), 1)};
  StoredDevices found{device, {}, storage.chunk, storage.page_map()};
  for (std::size_t i = 0; i < storage.files.size(); ++i) found.parts.push_back(device_storage(storage, static_cast<int>(i)));
  return found;
}

}  // namespace octavo
