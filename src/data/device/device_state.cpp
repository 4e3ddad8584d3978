// SPDX-License-Identifier: Apache-2.0
// How a device with a name (process/named.hpp) is made again (D-10): its state says where its pages lie, and whether some of them may be lost.
#include "data/device/device_state.hpp"

#include "data/format/pages/page_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

void check_is_there(const DeviceState& state) {
  const Storage& storage = state.storage;
  if (storage.format != storage_format::page_file) return;  // the others are read by their names, and say what lacks
  const auto header = read_page_file_header(storage.path);
  const auto view = page_file_view(storage.path, header);
  if (view.shape != storage.shape || view.type != storage.type || view.order != storage.order || view.offset != storage.offset)
    throw io_error("the page file '" + storage.path + "' has " + header.text() + " now: it is another one than that of this device",
                   "Put the file back, or destroy the device and make it again");
}

std::exception_ptr lost_in(const DeviceState& state) {
  if (!state.unflushed) return nullptr;
  return std::make_exception_ptr(
      io_error("what was written behind to '" + state.storage.path + "', and not flushed, may be lost: the process of its device died",
               "Write it again, and flush() more often"));
}

}  // namespace octavo
