// SPDX-License-Identifier: Apache-2.0
// One device for every format: what differs is where a block lies, and Storage knows that.
#include <filesystem>
#include <mutex>

#include "data/admission.hpp"
#include "data/completion_latch.hpp"
#include "data/format/pages/page_file.hpp"
#include "data/io/disk.hpp"
#include "data/page_place.hpp"
#include "data/permute.hpp"
#include "data/read_ahead.hpp"
#include "data/target/identity.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"

namespace octavo {

class StoredDevice::Impl {
 public:
  Impl(Storage stored, const Shape& page_shape, const DeviceOptions& given)
      : storage(std::move(stored)), page(page_shape), grid(grid_of(storage.shape, page_shape)), ahead(given.cache_bytes), disk(options_for(given)) {}

  DiskOptions options_for(const DeviceOptions& given) {
    // 8 buffers of 1 MiB keep the disk full (measured: more in flight is slower); a small budget has smaller ones.
    const std::int64_t buffer = std::clamp<std::int64_t>(round_down(given.staging_bytes / 8, 4096), 8192, 1 * MiB);
    DiskOptions options{.depth = static_cast<int>(std::clamp<std::int64_t>(given.staging_bytes / buffer, 1, 64)), .buffer_bytes = buffer};
    if (storage.fill.empty()) return options;
    // A chunk that is not there is one that was never written only while the array is.
    identity = Identity(storage);
    options.missing = [this] { identity.check(); };
    return options;
  }

  // Calls visit(block, part in the block, index in the tile) for each stored block that `place` meets.
  template <class Visit>
  void for_each_block(const Box& place, Visit&& visit) const {
    for_each_tile(place, storage.chunk, [&](const Shape& index, const Box& meet) {
      Shape corner = index;
      for (int i = 0; i < index.size(); ++i) corner[i] *= storage.chunk[i];
      visit(block_of(storage, index), meet.shifted(corner, -1), meet.shifted(place.lo, -1).lo);
    });
  }

  future<ArrayPage> read(const Box& place, dtype as) {
    auto made = std::make_shared<promise<ArrayPage>>();
    auto result = made->get_future();
    admission.ask(as, place.extents(), [this, made, place, as](ArrayPage block, const std::exception_ptr& error) {
      if (error) return made->set_exception(error);
      try {
        read_into(std::make_shared<ArrayPage>(std::move(block)), place, as, made);
      } catch (...) {  // not all parts were begun, so the latch will not answer
        made->set_exception(std::current_exception());
      }
    });
    return result;
  }

  void read_into(const std::shared_ptr<ArrayPage>& block, const Box& place, dtype as, const std::shared_ptr<promise<ArrayPage>>& made) {
    std::byte* memory = block->mutable_data();
    Shape extents = place.extents();
    auto answer = [made, block](const std::exception_ptr& error) {
      if (!error) return made->set_value(std::move(*block));
      *block = ArrayPage();  // the page is free before the answer says so
      made->set_exception(error);
    };
    auto latch = std::make_shared<CompletionLatch<decltype(answer)>>(count_tiles(place, storage.chunk), std::move(answer));
    auto fill = storage.format == storage_format::zarr ? fill_as(storage, as) : std::vector<std::byte>();  // one file must be there
    for_each_block(place, [&](const StoredBlock& stored, const Box& part, const Shape& at) {
      ask(latch, [&](Done done) { disk.read(stored, part, as, Tile{memory, extents, at}, fill, std::move(done)); });
    });
  }

  // `owner` is what `from` lies in.
  template <class Owner>
  future<void> write(std::shared_ptr<Owner> owner, const ConstTile& from, dtype type, const Box& place) {
    promise<void> made;
    auto result = made.get_future();
    auto answer = [made = std::make_shared<promise<void>>(std::move(made)), owner = std::move(owner)](const std::exception_ptr& error) mutable {
      owner.reset();  // the page is free before the answer says so
      if (error) made->set_exception(error);
      else made->set_value();
    };
    auto latch = std::make_shared<CompletionLatch<decltype(answer)>>(count_tiles(place, storage.chunk), std::move(answer));
    for_each_block(place, [&](const StoredBlock& block, const Box& part, const Shape& at) {
      ask(latch, [&](Done done) { disk.write(block, part, type, ConstTile{from.data, from.shape, at}, std::move(done)); });
    });
    return result;
  }

  // Where a block of `shape` is about to be written.
  [[nodiscard]] Box begin_write(const Shape& shape, std::int64_t number, const Box& part) {
    Box place = page_place(storage, page, number, part, &shape);
    ahead.forget(place);
    return place;
  }

  Storage storage;
  Shape page, grid;
  Identity identity;  // of an array with a fill value; used on the disk's thread
  ReadAhead ahead;
  std::mutex late_mutex;
  std::exception_ptr late_error;  // of a page written behind
  Disk disk;                      // its destructor answers what is open
  Admission admission;            // ends before the disk it reads from

 private:
  // A move that could not even begin counts as one that failed, so that each part is answered once.
  template <class Shared, class Begin>
  static void ask(const std::shared_ptr<Shared>& latch, Begin&& begin) {
    try {
      begin([latch](const std::exception_ptr& error) { latch->done(error); });
    } catch (...) {
      latch->done(std::current_exception());
    }
  }
};

StoredDevice::StoredDevice(Storage storage, const Shape& page, DeviceOptions options) : impl_(std::make_unique<Impl>(std::move(storage), page, options)) {}
StoredDevice::~StoredDevice() = default;

DeviceFacts StoredDevice::facts() { return {impl_->storage.path, impl_->page, impl_->grid.count(), impl_->storage.type}; }

future<ArrayPage> StoredDevice::read(std::int64_t page, const Box& part, dtype as) {
  Box place = page_place(impl_->storage, impl_->page, page, part);
  if (auto kept = impl_->ahead.take(place, as)) return std::move(*kept);
  return impl_->read(place, as);
}

future<void> StoredDevice::write(ArrayPage data, std::int64_t page, const Box& part) {
  Box place = impl_->begin_write(data.shape(), page, part);
  auto kept = std::make_shared<ArrayPage>(std::move(data));
  return impl_->write(kept, ConstTile::whole(kept->data(), kept->shape()), kept->type(), place);
}

future<void> StoredDevice::write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) {
  check_order(order, part.dims());
  if (data.try_permute(inverse(order))) return write(std::move(data), page, part);
  // Another process has the page, too, and will perhaps keep it until this write is answered: waiting for another page of the full pool could then
  // be for ever. So the block is turned into private memory, and the next call waits until the disk has that: there is one such copy at most.
  auto written = write(data.permuted_in_private(inverse(order)), page, part);
  written.wait();
  return written;
}

future<void> StoredDevice::write_behind(ArrayPage data, std::int64_t page, const Box& part) {
  std::int64_t bytes = data.bytes();
  auto written = StoredDevice::write(std::move(data), page, part);  // not that of a derived class, which may well be what called this
  auto state = std::make_shared<future<void>>(std::move(written));
  state->on_ready([impl = impl_.get(), state, bytes] {
    impl->ahead.written(bytes);
    try {
      state->get();
    } catch (...) {
      std::lock_guard lock(impl->late_mutex);
      if (!impl->late_error) impl->late_error = std::current_exception();
    }
  });
  return impl_->ahead.admit(bytes);
}

void StoredDevice::prefetch(std::int64_t page, const Box& part, dtype as) {
  Box place = page_place(impl_->storage, impl_->page, page, part);
  if (impl_->ahead.wants(place, as)) impl_->ahead.keep(place, as, impl_->read(place, as));
}

future<void> StoredDevice::flush() {
  impl_->disk.sync();
  std::lock_guard lock(impl_->late_mutex);
  promise<void> done;
  auto result = done.get_future();
  if (impl_->late_error) done.set_exception(std::exchange(impl_->late_error, nullptr));
  else done.set_value();
  return result;
}

DeviceCounters StoredDevice::counters() {
  auto disk = impl_->disk.counters();
  return {disk.bytes_read, disk.bytes_written, disk.requests, road_bytes_sent()};
}

namespace {

Storage page_file_storage(const std::string& path, std::int64_t pages, const Shape& page, dtype type) {
  Shape shape = page_file_shape(page, pages, type, path);
  if (!std::filesystem::exists(path)) return create_storage(storage_format::page_file, path, shape, page, type);
  PageFileHeader header = read_page_file_header(path);
  if (header.pages != pages || header.page != page || header.type != type)
    throw usage_error(
        "the page file '" + path + "' has " + header.text() + "; asked for were " + PageFileHeader{.type = type, .page = page, .pages = pages}.text(),
        "Give the shape it was made with, or another path");
  return page_file_view(path, header);
}

Storage zarr_storage(const std::string& path) {
  Storage storage = open_storage(path);
  if (storage.format != storage_format::zarr) throw usage_error("'" + path + "' is no Zarr array");
  return storage;
}

}  // namespace

PageFile::PageFile(const std::string& path, std::int64_t pages, const Shape& page, dtype type, DeviceOptions options)
    : StoredDevice(page_file_storage(path, pages, page, type), page, options) {}

ZarrDevice::ZarrDevice(const std::string& path, DeviceOptions options) : ZarrDevice(zarr_storage(path), options) {}
ZarrDevice::ZarrDevice(const Storage& storage, DeviceOptions options) : StoredDevice(storage, storage.chunk, options) {}

namespace {
// What octavo-server can make, for programs that know no more than the library.
using detail::ConstructorOf;
[[maybe_unused]] const bool stored_devices_are_served = detail::serve_built_in(ConstructorOf<PageFile, Storage, Shape, DeviceOptions>::entry) &&
                                                        detail::serve_built_in(ConstructorOf<ZarrDevice, Storage, Shape, DeviceOptions>::entry) &&
                                                        detail::serve_built_in(ConstructorOf<FlatFile, Storage, Shape, DeviceOptions>::entry);
}  // namespace

}  // namespace octavo
