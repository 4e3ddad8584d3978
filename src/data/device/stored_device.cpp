// SPDX-License-Identifier: Apache-2.0
#include "data/device/stored_device.hpp"

#include "data/device/pool_here.hpp"
#include "process/endpoint.hpp"

namespace octavo {

namespace {

// Whose call runs here: the program, by its agent; 0: none, or it is not known, as in a coroutine.
WriteBehind::Program calling_program() {
  auto* here = detail::Endpoint::current();
  return here != nullptr ? here->served().running_caller().agent : 0;
}

}  // namespace

StoredDevice::StoredDevice() = default;
StoredDevice::StoredDevice(Storage storage, const Shape& page, DeviceOptions options) : impl_(std::make_unique<Impl>(std::move(storage), page, options)) {}
StoredDevice::~StoredDevice() = default;

StoredDevice::Impl& StoredDevice::impl() {
  if (impl_) return *impl_;
  if (!loaded_) throw usage_error("this device has no file: it was made without one", "Give its constructor a path");
  check_is_there(*loaded_);
  auto made = std::make_unique<Impl>(loaded_->storage, loaded_->page, loaded_->options, queue_maker());
  made->unflushed = loaded_->unflushed;
  if (auto lost = lost_in(*loaded_)) made->behind.keep_error(lost, made->unflushed);
  loaded_.reset();
  impl_ = std::move(made);
  return *impl_;
}

DeviceState StoredDevice::state() const {
  if (impl_) return impl_->state();
  return loaded_ ? *loaded_ : DeviceState();
}

void StoredDevice::restore(DeviceState state) { loaded_ = std::make_unique<DeviceState>(std::move(state)); }

DeviceFacts StoredDevice::facts() { return {impl().storage.path, impl().page, impl().grid.count(), impl().storage.type, pool_bytes_here()}; }

Box StoredDevice::whole(std::int64_t page) { return whole_page(impl().storage, impl_->page, page); }

future<ArrayPage> StoredDevice::read(std::int64_t page, const Box& part, dtype as) {
  Box place = impl().begin_read(page, part);
  if (auto kept = impl_->ahead.take(place, as)) return std::move(*kept);
  return impl_->read(place, as);
}

future<void> StoredDevice::write(ArrayPage data, std::int64_t page, const Box& part) {
  Box place = impl().begin_write(data.shape(), page, part);
  auto kept = std::make_shared<ArrayPage>(std::move(data));
  return impl_->write(kept, ConstTile::whole(kept->data(), kept->shape()), kept->type(), place);
}

future<void> StoredDevice::write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) {
  check_order(order, part.dims());
  if (impl().turn(data, inverse(order))) return write(std::move(data), page, part);
  // Another process has the page, too, and will perhaps keep it until this write is answered: waiting for another page of the full pool could then
  // be for ever. So the block is turned into private memory, and the next call waits until the disk has that: there is one such copy at most.
  auto written = write(data.permuted_in_private(inverse(order)), page, part);
  written.wait();
  return written;
}

future<void> StoredDevice::write_behind(ArrayPage data, std::int64_t page, const Box& part) {
  Box place = impl().begin_write(data.shape(), page, part);
  const auto by = calling_program();
  impl_->note_writer(by);
  std::int64_t bytes = data.bytes();
  auto kept = std::make_shared<ArrayPage>(std::move(data));
  auto promised = impl_->behind.begin(place, bytes);
  auto written = std::make_shared<future<void>>();
  try {
    *written = impl_->write(kept, ConstTile::whole(kept->data(), kept->shape()), kept->type(), place);
  } catch (...) {
    impl_->behind.written(place, bytes, nullptr, by);
    throw;
  }
  kept.reset();  // the page is free when it is written
  // Without a cache it is answered when it has ended: then its own error is the answer, and nothing is left for flush() to say.
  std::shared_ptr<promise<void>> own;
  if (impl_->options.cache_bytes == 0) {
    own = std::make_shared<promise<void>>();
    promised = own->get_future();
  }
  written->on_ready([impl = impl_.get(), written, place, bytes, own, by] {
    std::exception_ptr error;
    try {
      written->get();
    } catch (...) {
      error = std::current_exception();
    }
    impl->behind.written(place, bytes, own ? nullptr : error, by);
    if (own && error) own->set_exception(error);
    else if (own) own->set_value();
  });
  return promised;
}

void StoredDevice::prefetch(std::int64_t page, const Box& part, dtype as) {
  Box place = impl().begin_read(page, part);
  if (impl_->ahead.wants(place, as)) impl_->ahead.keep(place, as, impl_->read(place, as));
}

future<void> StoredDevice::flush() {
  const auto by = calling_program();
  impl().behind.wait_for_all();
  impl_->sync(by);
  impl_->note_unflushed(impl_->behind.still_to_hear(by));  // before the error is taken: where this throws, the next flush has it
  auto late = impl_->behind.take_error(by);
  promise<void> done;
  auto result = done.get_future();
  if (late) done.set_exception(late);
  else done.set_value();
  return result;
}

DeviceCounters StoredDevice::counters() {
  auto disk = impl().disk.counters();
  return {disk.bytes_read, disk.bytes_written, disk.requests, road_bytes_sent(), impl().disk.phases(), impl().meter->begun()};
}

Timeline StoredDevice::timeline() { return impl().meter->timeline(); }

}  // namespace octavo
