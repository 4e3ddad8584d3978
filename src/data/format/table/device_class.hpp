// SPDX-License-Identifier: Apache-2.0
// A class of devices over what is stored, for those who make one and need not know which: each is made of a Storage, the shape of its pages and options.
//
//   const DeviceClass& flat = device_class<FlatFile>();
//   auto made = std::make_shared<detail::State<void>>();
//   remote_ptr<PageDevice> device(flat.begin(made, place.placement(), storage, page, options));   // is there when `made` is ready
//
// Threading: constants. Failure: as of Place::make.
#pragma once

#include "octavo/data/page_device.hpp"
#include "octavo/process/named.hpp"

namespace octavo {

struct DeviceClass {
  std::uint64_t state_key;  // of the state that one with a name is made again from
  Address (*begin)(const std::shared_ptr<detail::State<void>>& made, const Placement& where, const Storage& storage, const Shape& page,
                   const DeviceOptions& options);
};

template <class Device>
const DeviceClass& device_class() {
  static const DeviceClass made{
      detail::StateOf<Device>::entry->hash,
      [](const std::shared_ptr<detail::State<void>>& state, const Placement& where, const Storage& storage, const Shape& page, const DeviceOptions& options) {
        const remote_ptr<PageDevice> device = remote_ptr<Device>(detail::send_construction<Device>(state, where, storage, page, options));
        return device.address();
      }};
  return made;
}

}  // namespace octavo
