// SPDX-License-Identifier: Apache-2.0
// The object that keeps the pages of one disk: the contract of every device, and the devices. tests/conformance/data cites it.
//
//   auto device = machine.make<octavo::PageFile>("/d0/pages", 1024, octavo::Shape{64, 64, 64}, octavo::dtype::complex128);
//   octavo::remote_ptr<octavo::PageDevice> any = device;           // or octavo::ZarrDevice, octavo::FlatFile
//   any->write(block, 17, octavo::Box::whole(block.shape()));
//   octavo::ArrayPage back = any->read(17, octavo::Box::whole({64, 64, 64}), octavo::dtype::complex128);
//   any->flush();
//
// D-1  read() gives what the last finished write of each element gave; elements never written are the fill value (0 if there is none).
// D-2  read() converts to the wanted dtype (real to complex, single to double); write() converts back to the stored one.
// D-3  A part is any box within the page; nothing outside it changes.
// D-4  read and write return futures: the disk's queue is kept full (C-12). Two in flight at once that overlap have no order.
// D-5  flush() returns when everything written before it is on the disk (fsync).
// D-6  prefetch() reads ahead into the device's cache (bounded by cache_bytes); the next read of that part takes it from there.
//      write_behind() answers when the device has the page; flush() raises what went wrong later.
// D-7  Errors name the file, what was wanted, and the cure; the device lives on.
// D-8  read_permuted() gives the part with its axes in `order`, as numpy.transpose (Givelberg 2.2: read_transpose13); write_permuted() takes
//      a block of that form. The turning is done in the device's process, one part at a time, and takes one page more while it lasts: of
//      the pool if there is room at once, else private memory. So a full pool stops it no more than it stops read() and write().
// Threading: a remote object; calls as for all.
#pragma once

#include <memory>
#include <string>

#include "octavo/data/page.hpp"
#include "octavo/data/storage.hpp"
#include "octavo/process/remote.hpp"

namespace octavo {

struct DeviceFacts {
  std::string path;
  Shape page;
  std::int64_t pages = 0;
  dtype type = dtype::float64;
};

struct DeviceCounters {
  std::int64_t bytes_read = 0, bytes_written = 0, requests = 0;
  std::uint64_t road_bytes = 0;  // that this process put on its roads: pages are not among them
};

// Memory a device may use for itself. It counts against the job's budget.
struct DeviceOptions {
  std::int64_t staging_bytes = 8 * MiB;  // buffers between disk and pool, in private huge pages
  std::int64_t cache_bytes = 0;          // of pages read ahead or written behind; these lie in the pool
};

class PageDevice {
 public:
  virtual ~PageDevice() = default;
  virtual DeviceFacts facts() = 0;
  virtual future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) = 0;
  virtual future<void> write(ArrayPage data, std::int64_t page, const Box& part) = 0;
  virtual future<ArrayPage> read_permuted(std::int64_t page, const Box& part, dtype as, const Shape& order);
  virtual future<void> write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order);
  virtual future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) = 0;
  virtual void prefetch(std::int64_t page, const Box& part, dtype as) = 0;
  virtual future<void> flush() = 0;
  virtual DeviceCounters counters() = 0;
};
OCTAVO_REMOTE(PageDevice, facts, read, write, read_permuted, write_permuted, write_behind, prefetch, flush, counters)

// A device over any Storage. Its pages are blocks of `page` elements of the array: the stored chunk, or several of them.
class StoredDevice : public PageDevice {
 public:
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

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};
OCTAVO_REMOTE(StoredDevice, (PageDevice), facts)

// One large file of pages, made if it is not there; one that is there must say in its header that it is so: the paper's PageDevice (Givelberg 2.2).
class PageFile : public StoredDevice {
 public:
  PageFile(const std::string& path, std::int64_t pages, const Shape& page, dtype type, DeviceOptions options = {});
  using StoredDevice::StoredDevice;
  PageFile(const std::string& path, std::int64_t pages, std::int64_t page_bytes) : PageFile(path, pages, Shape{page_bytes}, dtype::uint8) {}
};
OCTAVO_REMOTE(PageFile, (StoredDevice), facts)

// A Zarr v3 directory, uncompressed; chunk = page unless `page` groups several.
class ZarrDevice : public StoredDevice {
 public:
  explicit ZarrDevice(const std::string& path, DeviceOptions options = {});
  using StoredDevice::StoredDevice;

 private:
  ZarrDevice(const Storage& storage, DeviceOptions options);
};
OCTAVO_REMOTE(ZarrDevice, (StoredDevice), facts)

// One file that holds the array as it is: .npy or raw. Its pages are blocks of the array, not contiguous in the file.
class FlatFile : public StoredDevice {
 public:
  using StoredDevice::StoredDevice;
};
OCTAVO_REMOTE(FlatFile, (StoredDevice), facts)

}  // namespace octavo
