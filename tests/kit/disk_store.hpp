// SPDX-License-Identifier: Apache-2.0
// The store of the tests: a raw file behind octavo::Store, served by the test program itself, so that StoreDevice can be held to the contract
// of every device without another library.
#pragma once

#include "octavo/data/store.hpp"

namespace octavo::kit {

// Makes the file, with zeros; its chunks are `chunk`.
Storage make_disk_store(const std::string& path, const Shape& shape, const Shape& chunk, dtype type);
remote_ptr<StoreDevice> make_store_device(const Machine& machine, const Storage& storage, const Shape& page, const DeviceOptions& options);

}  // namespace octavo::kit
