// SPDX-License-Identifier: Apache-2.0
#include "data/device/page_place.hpp"
#include "data/device/pool_here.hpp"
#include "data/device/read_ahead.hpp"
#include "data/permute.hpp"
#include "data/phases/phase_meter.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/store.hpp"
#include "process/endpoint.hpp"

namespace octavo {

namespace {

constexpr auto longest_wait_for_page = std::chrono::seconds(120);  // for a page: as Admission

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

StoreDevice::StoreDevice(Storage storage, const Shape& page, DeviceOptions options)
    : storage_(std::move(storage)),
      page_(page),
      ahead_(std::make_unique<ReadAhead>(options.cache_bytes)),
      meter_(std::make_shared<PhaseMeter>(options.timeline ? most_spans : 0)) {
  if (!opener())
    throw not_supported("'" + storage_.path + "' is read by another library, which this server does not have",
                        "Open it from Python (octavo.open_array) or with the octavo command");
  store_ = opener()(storage_);
}
StoreDevice::~StoreDevice() = default;

DeviceFacts StoreDevice::facts() { return {storage_.path, page_, grid_of(storage_.shape, page_).count(), storage_.type, pool_bytes_here()}; }

Box StoreDevice::whole(std::int64_t page) { return whole_page(storage_, page_, page); }

// Waiting for the page here is safe: a job that reads from a store writes to another one, and those writes make room.
future<ArrayPage> StoreDevice::read(std::int64_t page, const Box& part, dtype as) {
  Box place = page_place(storage_, page_, page, part);
  if (auto kept = ahead_->take(place, as)) return std::move(*kept);
  return ready_future<ArrayPage>(read_now(place, as));
}

ArrayPage StoreDevice::page_for(const Shape& extents, dtype as) {
  if (auto page = ArrayPage::try_make(as, extents)) return std::move(*page);
  const auto waiting = meter_->doing(phase::waiting);
  return ArrayPage::make_by(as, extents, road::Clock::now() + longest_wait_for_page);
}

ArrayPage StoreDevice::read_now(const Box& place, dtype as) {
  ArrayPage block = page_for(place.extents(), as);
  {
    const auto reading = meter_->doing(phase::reading);
    store_->read(place, as, block.mutable_data());
  }
  counters_.bytes_read += place.count() * size_of(storage_.type);
  ++counters_.requests;
  return block;
}

void StoreDevice::write_now(std::int64_t page, const Box& part, const Shape& extents, dtype type, const std::byte* data) {
  Box place = page_place(storage_, page_, page, part, &extents);
  ahead_->forget(place);
  {
    const auto writing = meter_->doing(phase::writing);
    store_->write(place, type, data);
  }
  counters_.bytes_written += place.count() * size_of(storage_.type);
  ++counters_.requests;
}

future<void> StoreDevice::write(ArrayPage data, std::int64_t page, const Box& part) {  // NOLINT(performance-unnecessary-value-param): the contract's form
  write_now(page, part, data.shape(), data.type(), data.data());
  return ready_future<void>();
}

// D-8: in private memory where there is no page to turn it in, as a full pool may stay full until this is answered.
future<void> StoreDevice::write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) {
  check_order(order, part.dims());
  Shape back = inverse(order);
  if (data.try_permute(back)) return write(std::move(data), page, part);
  return write(data.permuted_in_private(back), page, part);
}

future<void> StoreDevice::write_behind(ArrayPage data, std::int64_t page, const Box& part) {
  return StoreDevice::write(std::move(data), page, part);  // not that of a derived class, which may well be what called this
}

void StoreDevice::prefetch(std::int64_t page, const Box& part, dtype as) {
  Box place = page_place(storage_, page_, page, part);
  if (ahead_->wants(place, as)) ahead_->keep(place, as, ready_future<ArrayPage>(read_now(place, as)));
}

future<void> StoreDevice::flush() {
  const auto writing = meter_->doing(phase::writing);
  store_->flush();
  return ready_future<void>();
}

DeviceCounters StoreDevice::counters() {
  DeviceCounters now = counters_;
  now.road_bytes = road_bytes_sent();
  now.phases = meter_->sums();
  now.began = meter_->begun();
  now.phases.reading.bytes = now.bytes_read;
  now.phases.writing.bytes = now.bytes_written;
  return now;
}

Timeline StoreDevice::timeline() { return meter_->timeline(); }

namespace {
[[maybe_unused]] const bool store_device_is_served = detail::serve_built_in(detail::ConstructorOf<StoreDevice, Storage, Shape, DeviceOptions>::entry);
}

}  // namespace octavo
