// SPDX-License-Identifier: Apache-2.0
// The object that keeps the pages of one disk: the contract of every device, and the devices. tests/conformance/data cites it.
//
//   auto device = machine.make<octavo::PageFile>("/d0/pages", 1024, octavo::Shape{64, 64, 64}, octavo::dtype::complex128);
//   octavo::remote_ptr<octavo::PageDevice> any = device;           // or octavo::ZarrDevice, octavo::FlatFile
//   any->write(block, 17);                                           // the whole page, or any->write(block, 17, box)
//   octavo::ArrayPage back = any->read(17);                          // or any->read(17, box, octavo::dtype::complex64)
//   any->flush();
//
// D-1  read() gives what the last finished write of each element gave; elements never written are the fill value (0 if there is none).
// D-2  read() converts to the wanted dtype (real to complex, single to double); write() converts back to the stored one.
// D-3  A part is any box within the page; nothing outside it changes.
// D-4  read and write return futures: the disk's queue is kept full (C-12). Two in flight at once that overlap have no order.
// D-5  flush() returns when everything written before it is on the disk (fsync).
// D-6  prefetch() reads ahead into the device's cache (bounded by cache_bytes); the next read of that part takes it from there. It is a hint: a part that
//      does not fit the cache, none of a device without one, and one that is being written is not read ahead.
//      write_behind() answers when the device has the page; every later read of the device sees it; flush() raises what went wrong later. A device whose
//      process died before the flush may have lost it: flush() says so, by process_died, or by io_error where the device has a name and came back.
//      Of what was lost the next flush hears, whoever asks for it, and each program that wrote such pages hears at its own next flush,
//      once. (Objects with names, and those placed beside them, count as one program.)
// D-7  Errors name the file, what was wanted, and the cure; the device lives on.
// D-8  read_permuted() gives the part with its axes in `order`, as numpy.transpose (Givelberg 2.2: read_transpose13); write_permuted() takes
//      a block of that form. The turning is done in the device's process, one part at a time, and takes one page more while it lasts: of
//      the pool if there is room at once, else private memory. So a full pool stops it no more than it stops read() and write().
// D-9  Several devices may use one file. What one has written, all read; so one with a cache (cache_bytes above 0) is refused while another may write, and
//      one that begins to write is refused while another has a cache. By advisory locks of the file: where its file system has none, nobody is refused.
// D-10 A device with a name (process/named.hpp) is made again over the same file, which stays where it is; its state is small. A file that is gone, or
//      another one at its place, is an io_error. A page file is known by the id and the number in its header, so a copy of it put back is the same file. Of
//      the other formats that is known which their own text says: shape, dtype, byte order, chunks, fill value; of a raw file, that it is long enough.
//      A device that lives looks likewise where its one file was removed or replaced.
// D-11 counters() tells what it did since it was made, and for how long (PH-1); timeline() when, if its options ask for that (PH-2).
// Threading: a remote object; calls as for all.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/page.hpp"
#include "octavo/data/phases.hpp"
#include "octavo/data/storage.hpp"
#include "octavo/process/remote.hpp"

namespace octavo {

class DiskQueue;

struct DeviceFacts {
  std::string path;
  Shape page;
  std::int64_t pages = 0;
  dtype type = dtype::float64;
  std::int64_t pool_bytes = 0;  // of all pages of its program on its machine; 0: not known
};

struct DeviceCounters {
  std::int64_t bytes_read = 0, bytes_written = 0, requests = 0;
  std::uint64_t road_bytes = 0;  // that this process put on its roads: pages are not among them
  Phases phases = {};
  std::int64_t began = 0;  // to count, in nanoseconds of its machine's steady_clock

  // What it did since then; of a device that was made again since, all that it did.
  [[nodiscard]] DeviceCounters since(const DeviceCounters& before) const;
};

// Memory a device may use for itself. It counts against the job's budget.
struct DeviceOptions {
  std::int64_t staging_bytes = 8 * MiB;  // buffers between disk and pool, in private huge pages
  std::int64_t cache_bytes = 0;          // of pages read ahead or written behind; these lie in the pool
  bool timeline = false;                 // whether timeline() has spans, which take 96 KiB
};

// What a device with a name is made again from.
struct DeviceState {
  Storage storage;
  Shape page;
  DeviceOptions options;
  std::string file_id = {};                   // what its file alone has (page files); empty: nothing
  std::vector<std::uint64_t> unflushed = {};  // the programs, by their agents, to tell that what was written behind may be lost; 0: the next that flushes

  // The version of what follows stands where there was a bool once, whether something was unflushed.
  template <class Archive>
  void save(Archive& archive) const {
    archive(storage, page, options, std::uint8_t{2}, file_id, unflushed);
  }
  template <class Archive>
  void load(Archive& archive) {
    std::uint8_t version = 0;
    archive(storage, page, options, version);
    if (version > 1) archive(file_id, unflushed);
    else if (version == 1) unflushed = {0};
  }
};

class PageDevice {
 public:
  virtual ~PageDevice() = default;
  virtual DeviceFacts facts() = 0;
  virtual future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) = 0;
  virtual future<void> write(ArrayPage data, std::int64_t page, const Box& part) = 0;
  // The whole page, as it is stored; a block at its place. (One at the array's edge is smaller.) Through a pointer also read(page) and write(block, page).
  future<ArrayPage> read_page(std::int64_t page) { return read(page, whole(page), facts().type); }
  future<void> write_page(ArrayPage data, std::int64_t page);
  virtual future<ArrayPage> read_permuted(std::int64_t page, const Box& part, dtype as, const Shape& order);
  virtual future<void> write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order);
  virtual future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) = 0;
  virtual void prefetch(std::int64_t page, const Box& part, dtype as) = 0;
  virtual future<void> flush() = 0;
  virtual DeviceCounters counters() = 0;
  virtual Timeline timeline() { return {}; }

 protected:
  // What there is of a page.
  virtual Box whole(std::int64_t page) {
    static_cast<void>(page);
    return Box::whole(facts().page);
  }
};
OCTAVO_REMOTE(PageDevice, facts, read, write, read_page, write_page, read_permuted, write_permuted, write_behind, prefetch, flush, counters, timeline)
// Also of a derived class that names its own read or write.
template <std::derived_from<PageDevice> Device, class Name>
  requires(std::string_view(Name::text) == "read")
inline constexpr auto detail::short_form<Device, Name, 1> = &PageDevice::read_page;
template <std::derived_from<PageDevice> Device, class Name>
  requires(std::string_view(Name::text) == "write")
inline constexpr auto detail::short_form<Device, Name, 2> = &PageDevice::write_page;

// Its timeline by this machine's clock, wherever it is.
Timeline timeline_of(const remote_ptr<PageDevice>& device);

// A device over any Storage. Its pages are blocks of `page` elements of the array: the stored chunk, or several of them.
class StoredDevice : public PageDevice {
 public:
  StoredDevice();  // of no file until its state is loaded; until then all of it is refused
  StoredDevice(Storage storage, const Shape& page, DeviceOptions options);
  ~StoredDevice() override;
  DeviceFacts facts() override;
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override;
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override;
  future<void> write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) override;
  future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) override;
  void prefetch(std::int64_t page, const Box& part, dtype as) override;
  future<void> flush() override;
  DeviceCounters counters() override;
  Timeline timeline() override;

  template <class Archive>
  void save(Archive& archive) const {
    archive(state());
  }
  template <class Archive>
  void load(Archive& archive) {
    DeviceState state;
    archive(state);
    restore(std::move(state));
  }

 protected:
  Box whole(std::int64_t page) override;
  // From now on it is the device of this state; its file is looked at when it is used.
  void restore(DeviceState state);
  [[nodiscard]] DeviceState state() const;
  // What moves its transfers, when it is used first after restore(): none is the kernel's (data/io/queue.hpp).
  [[nodiscard]] virtual std::function<std::unique_ptr<DiskQueue>(int entries)> queue_maker() { return {}; }

 private:
  class Impl;
  [[nodiscard]] Impl& impl();
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<DeviceState> loaded_;  // until it is used: a file that is gone is an error then, and is no obstacle to destroying the device
};
OCTAVO_REMOTE(StoredDevice, (PageDevice), facts)

// One large file of pages, made if it is not there; one that is there must say in its header that it is so: the paper's PageDevice (Givelberg 2.2).
class PageFile : public StoredDevice {
 public:
  PageFile() = default;
  PageFile(const std::string& path, std::int64_t pages, const Shape& page, dtype type, DeviceOptions options = {});
  using StoredDevice::StoredDevice;
  PageFile(const std::string& path, std::int64_t pages, std::int64_t page_bytes) : PageFile(path, pages, Shape{page_bytes}, dtype::uint8) {}
};
OCTAVO_REMOTE(PageFile, (StoredDevice), facts)

// A Zarr v3 directory, uncompressed; chunk = page unless `page` groups several.
class ZarrDevice : public StoredDevice {
 public:
  ZarrDevice() = default;
  explicit ZarrDevice(const std::string& path, DeviceOptions options = {});
  using StoredDevice::StoredDevice;

 private:
  ZarrDevice(const Storage& storage, DeviceOptions options);
};
OCTAVO_REMOTE(ZarrDevice, (StoredDevice), facts)

// One file that holds the array as it is: .npy or raw. Its pages are blocks of the array, not contiguous in the file.
class FlatFile : public StoredDevice {
 public:
  FlatFile() = default;
  using StoredDevice::StoredDevice;
};
OCTAVO_REMOTE(FlatFile, (StoredDevice), facts)

}  // namespace octavo
