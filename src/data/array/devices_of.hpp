// SPDX-License-Identifier: Apache-2.0
// The devices over what is stored: of which class they are, what each is made of, and which has which pages.
//
//   const StoredDevices devices = devices_of(open_storage("a.octavo"), {});
//   for (const Storage& each : devices.parts) ... devices.device.begin(made, where, each, devices.page, options)
//
// Threading: a value. Failure: not_supported for what another library reads.
#pragma once

#include <vector>

#include "data/format/table/device_class.hpp"

namespace octavo {

struct StoredDevices {
  const DeviceClass& device;
  std::vector<Storage> parts;  // one for each device
  Shape page;
  PageMap map;
};

// `page`: that is wanted; an Octavo array is cut by its own pages.
StoredDevices devices_of(const Storage& storage, const Shape& page);

}  // namespace octavo
