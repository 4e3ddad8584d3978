// SPDX-License-Identifier: Apache-2.0
// How a device with a name (process/named.hpp) is made again (D-10): its state says where its pages lie, and whether some of them may be lost.
#include "data/device/device_state.hpp"

#include "data/format/table/format.hpp"

namespace octavo {

std::string file_id_of(const Storage& storage) { return Format::of(storage.format).file_id(storage); }

void check_is_there(const DeviceState& state) {
  const Format& format = Format::of(state.storage.format);
  try {
    format.check(state.storage, state.file_id);
  } catch (const usage_error& e) {  // it is no such file at all
    throw Format::another_one(state.storage, e.message());
  } catch (const not_supported& e) {  // or one that this version cannot read
    throw Format::another_one(state.storage, e.message());
  }
}

std::exception_ptr lost_in(const DeviceState& state) {
  if (state.unflushed.empty()) return nullptr;
  return std::make_exception_ptr(
      io_error("what was written behind to '" + state.storage.path + "', and not flushed, may be lost: the process of its device died",
               "Write it again, and flush() more often"));
}

}  // namespace octavo
