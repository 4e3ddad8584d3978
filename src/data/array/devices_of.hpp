// SPDX-License-Identifier: Apache-2.0
// The devices over what is stored: which class each format has, and with which arguments. Where and under which names they are made, a `Make` knows:
//
//   struct Make { template <class Device, class... A> std::vector<remote_ptr<PageDevice>> all(int count, arguments_of(i) -> std::tuple<A...>); };
#pragma once

#include <tuple>

#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"

namespace octavo {

template <class Device, class Make>
Array over_one_device(const Make& make, const Storage& storage, const Shape& page, const DeviceOptions& options) {
  return Array(storage.shape, page, storage.type, make.template all<Device>(1, [&](int) { return std::tuple(storage, page, options); }));
}

template <class Make>
Array over_page_files(const Make& make, const Storage& storage, const DeviceOptions& options) {
  auto devices = make.template all<PageFile>(static_cast<int>(storage.files.size()),
                                             [&](int device) { return std::tuple(device_storage(storage, device), storage.chunk, options); });
  return Array(storage.shape, storage.chunk, storage.type, std::move(devices), storage.page_map());
}

// Of every format but that of stores. An Octavo array is cut by its own pages.
template <class Make>
Array over_devices(const Make& make, const Storage& storage, const Shape& page, const DeviceOptions& options) {
  switch (storage.format) {
    case storage_format::zarr: return over_one_device<ZarrDevice>(make, storage, page, options);
    case storage_format::page_file: return over_one_device<PageFile>(make, storage, page, options);
    case storage_format::hdf5:
    case storage_format::npy:
    case storage_format::raw: return over_one_device<FlatFile>(make, storage, page, options);
    case storage_format::pages: return over_page_files(make, storage, options);
    case storage_format::store: break;
  }
  throw not_supported("'" + storage.path + "' is decoded by another library, so its devices can have no names",
                      "Copy it to an Octavo array (.octavo) or to an uncompressed Zarr first: octavo copy");
}

}  // namespace octavo
