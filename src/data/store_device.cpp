// SPDX-License-Identifier: Apache-2.0
#include "data/page_place.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/store.hpp"

namespace octavo {

namespace {

constexpr auto longest_wait = std::chrono::seconds(120);  // for a page: as Admission

// Beside the method table: what a server can open is decided by its program, before the Runtime, and never again.
OpenStore& opener() {
  static OpenStore open;
  return open;
}

template <class T, class... V>
future<T> ready_future(V&&... value) {
  promise<T> made;
  auto result = made.get_future();
  made.set_value(std::forward<V>(value)...);
  return result;
}

}  // namespace

void serve_stores(OpenStore open) { opener() = std::move(open); }

StoreDevice::StoreDevice(Storage storage, const Shape& page, DeviceOptions) : storage_(std::move(storage)), page_(page) {
  if (!opener())
    throw not_supported("'" + storage_.path + "' is read by another library, which this server does not have",
                        "Open it from Python (octavo.open_array) or with the octavo command");
  store_ = opener()(storage_);
}
StoreDevice::~StoreDevice() = default;

DeviceFacts StoreDevice::facts() { return {storage_.path, page_, grid_of(storage_.shape, page_).count(), storage_.type}; }

// Waiting for the page here is safe: who reads from a store in a job does not write to it, so others make the room.
future<ArrayPage> StoreDevice::read(std::int64_t page, const Box& part, dtype as) {
  Box place = page_place(storage_, page_, page, part);
  ArrayPage block = ArrayPage::make_by(as, place.extents(), road::Clock::now() + longest_wait);
  store_->read(place, as, block.mutable_data());
  counters_.bytes_read += place.count() * size_of(storage_.type);
  ++counters_.requests;
  return ready_future<ArrayPage>(std::move(block));
}

future<void> StoreDevice::write(ArrayPage data, std::int64_t page, const Box& part) {  // NOLINT(performance-unnecessary-value-param): the contract's form
  Box place = page_place(storage_, page_, page, part);
  if (data.shape() != part.extents())
    throw usage_error("a block of " + data.shape().text() + " was written to a part of " + part.extents().text() + " in '" + storage_.path + "'");
  store_->write(place, data.type(), data.data());
  counters_.bytes_written += place.count() * size_of(storage_.type);
  ++counters_.requests;
  return ready_future<void>();
}

future<void> StoreDevice::write_behind(ArrayPage data, std::int64_t page, const Box& part) { return write(std::move(data), page, part); }

// Nothing is kept: the library has its own cache, or none.
void StoreDevice::prefetch(std::int64_t page, const Box& part, dtype) { page_place(storage_, page_, page, part); }

future<void> StoreDevice::flush() {
  store_->flush();
  return ready_future<void>();
}

DeviceCounters StoreDevice::counters() {
  DeviceCounters now = counters_;
  now.road_bytes = road_bytes_sent();
  return now;
}

namespace {
[[maybe_unused]] const bool served = detail::serve_built_in(detail::ConstructorOf<StoreDevice, Storage, Shape, DeviceOptions>::entry);
}

}  // namespace octavo
