// SPDX-License-Identifier: Apache-2.0
// The inside of a StoredDevice: which blocks a part meets, and what moves them. One for every format: what differs is where a block lies, and Storage knows.
// Threading: the device's methods, one at a time; answers come from the disk's thread and that of admission.
#pragma once

#include <optional>
#include <set>
#include <utility>

#include "data/device/admission.hpp"
#include "data/device/device_state.hpp"
#include "data/device/file_use.hpp"
#include "data/device/page_place.hpp"
#include "data/device/read_ahead.hpp"
#include "data/device/write_behind.hpp"
#include "data/encoded/encoded_disk.hpp"
#include "data/format/table/format.hpp"
#include "data/io/completion_latch.hpp"
#include "data/io/disk.hpp"
#include "data/permute.hpp"
#include "data/phases/phase_meter.hpp"
#include "data/target/identity.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"
#include "octavo/process/named.hpp"

namespace octavo {

class StoredDevice::Impl {
 public:
  using MakeQueue = std::function<std::unique_ptr<DiskQueue>(int entries)>;
  Impl(Storage stored, const Shape& page_shape, const DeviceOptions& given, MakeQueue make_queue = {})
      : storage(std::move(stored)),
        page(page_shape),
        grid(grid_of(storage.shape, page_shape)),
        options(given),
        file_id(file_id_of(storage)),
        meter(std::make_shared<PhaseMeter>(given.timeline ? most_spans : 0)),
        use(storage.path),
        ahead(given.cache_bytes),
        behind(given.cache_bytes),
        moving(make_disk(given, std::move(make_queue))),
        disk(*moving),
        admission(meter) {
    if (given.cache_bytes > 0) use.begin_to_cache();
  }

  std::unique_ptr<BlockDisk> make_disk(const DeviceOptions& given, MakeQueue make_queue) {
    // A chunk that is not there is one that was never written only while the array is.
    std::function<void()> missing;
    if (!storage.fill.empty()) {
      identity = Identity(storage);
      missing = [this] { identity.check(); };
    }
    if (storage.is_encoded())
      return std::make_unique<EncodedDisk>(storage, EncodedDiskOptions{.memory = given.staging_bytes, .missing = std::move(missing), .meter = meter});
    auto wanted = options_for(given, std::move(make_queue));
    wanted.missing = std::move(missing);
    return std::make_unique<Disk>(wanted);
  }

  DiskOptions options_for(const DeviceOptions& given, MakeQueue make_queue) {
    // 8 buffers of 1 MiB keep the disk full (measured: more in flight is slower); a small budget has smaller ones.
    const std::int64_t buffer = std::clamp<std::int64_t>(round_down(given.staging_bytes / 8, 4096), 8192, 1 * MiB);
    DiskOptions wanted{.depth = static_cast<int>(std::clamp<std::int64_t>(given.staging_bytes / buffer, 1, 64)),
                       .buffer_bytes = buffer,
                       .make_queue = std::move(make_queue),
                       .meter = meter};
    // Chunks come and go; of one file the array itself would be another one.
    if (!Format::of(storage.format).may_lack_blocks()) wanted.replaced = [this] { check_is_there({storage, page, options, file_id}); };
    return wanted;
  }

  // Calls visit(block, part in the block, index in the tile) for each stored block that `place` meets.
  template <class Visit>
  void for_each_block(const Box& place, Visit&& visit) const {
    for_each_tile(place, storage.block(), [&](const Shape& index, const Box& meet) {
      Shape corner = index;
      for (int i = 0; i < index.size(); ++i) corner[i] *= storage.block()[i];
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
    auto latch = std::make_shared<CompletionLatch<decltype(answer)>>(count_tiles(place, storage.block()), std::move(answer));
    auto fill = Format::of(storage.format).may_lack_blocks() ? fill_as(storage, as) : std::vector<std::byte>();  // one file must be there
    for_each_block(place, [&](const StoredBlock& stored, const Box& part, const Shape& at) {
      ask(latch, [&](Done done) { disk.read(stored, part, as, Tile{memory, extents, at}, fill, std::move(done)); });
    });
  }

  // `owner` is what `from` lies in.
  template <class Owner>
  future<void> write(std::shared_ptr<Owner> owner, const ConstTile& from, dtype type, const Box& place) {
    promise<void> made;
    auto result = made.get_future();
    auto answer = [this, place, made = std::make_shared<promise<void>>(std::move(made)), owner = std::move(owner)](const std::exception_ptr& error) mutable {
      owner.reset();  // the page is free before the answer says so
      ahead.write_ended(place);
      if (error) made->set_exception(error);
      else made->set_value();
    };
    auto latch = std::make_shared<CompletionLatch<decltype(answer)>>(count_tiles(place, storage.block()), std::move(answer));
    ahead.write_begins(place);
    for_each_block(place, [&](const StoredBlock& block, const Box& part, const Shape& at) {
      ask(latch, [&](Done done) { disk.write(block, part, type, ConstTile{from.data, from.shape, at}, std::move(done)); });
    });
    return result;
  }

  // In place, if that is possible at once.
  bool turn(ArrayPage& block, const Shape& order) const {
    const auto turning = meter->while_open(phase::caching);
    return block.try_permute(order);
  }

  // Where a block of `shape` is about to be written.
  [[nodiscard]] Box begin_write(const Shape& shape, std::int64_t number, const Box& part) {
    Box place = page_place(storage, page, number, part, &shape);
    use.begin_to_write();
    behind.wait_for(place);
    return place;
  }
  [[nodiscard]] Box begin_read(std::int64_t number, const Box& part) {
    Box place = page_place(storage, page, number, part);
    behind.wait_for(place);
    return place;
  }
  // Where the device has a name, its next life hears of it: `now` are those who are to be told if what was written behind is lost.
  void note_unflushed(std::vector<WriteBehind::Program> now) {
    if (options.cache_bytes == 0 || unflushed == now) return;
    std::swap(unflushed, now);
    noting = true;
    try {
      detail::save_this();
    } catch (...) {  // the next one is to try again
      noting = false;
      std::swap(unflushed, now);
      throw;
    }
    noting = false;
  }
  // It writes behind now, so it is one of them; 0 is whoever flushes next.
  void note_writer(WriteBehind::Program program) {
    std::set<WriteBehind::Program> now(unflushed.begin(), unflushed.end());
    now.insert({0, program});
    note_unflushed({now.begin(), now.end()});
  }
  // The system says once that it could not bring to the disk what was written: all are to hear of it whose pages these are. The program that flushes hears of
  // it now.
  void sync(std::optional<WriteBehind::Program> flushing = {}) {
    try {
      disk.sync();
    } catch (...) {
      auto later = unflushed;
      if (flushing) std::erase_if(later, [&](WriteBehind::Program each) { return each == 0 || each == *flushing; });
      behind.keep_error(std::current_exception(), later);
      throw;
    }
  }
  // As it would be made again. Saved for another reason than to note it, nothing is unflushed.
  [[nodiscard]] DeviceState state() {
    if (!unflushed.empty() && !noting) {
      behind.wait_for_all();
      sync();
      unflushed = behind.still_to_hear();
    }
    return {storage, page, options, file_id, unflushed};
  }

  Storage storage;
  Shape page, grid;
  DeviceOptions options;
  const std::string file_id;
  const std::shared_ptr<PhaseMeter> meter;
  Identity identity;  // of an array with a fill value; used on the disk's threads, one at a time
  FileUse use;
  std::vector<WriteBehind::Program> unflushed;  // in order
  bool noting = false;
  ReadAhead ahead;
  WriteBehind behind;
  std::unique_ptr<BlockDisk> moving;  // its destructor answers what is open
  BlockDisk& disk;
  Admission admission;  // ends before the disk it reads from

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

}  // namespace octavo
