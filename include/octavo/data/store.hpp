// SPDX-License-Identifier: Apache-2.0
// An array that another library reads and writes (zarr-python, h5py), and the device over it: for what Octavo does not read itself.
//
//   class Mine : public octavo::Store { ... };
//   int main(int argc, char** argv) {
//     octavo::serve_stores([](const octavo::Storage& storage) { return std::make_unique<Mine>(storage); });   // before the Runtime
//     octavo::Runtime runtime(argc, argv);
//     auto device = runtime.machine().served_by({argv[0]}).make<octavo::StoreDevice>(storage, storage.shape, octavo::DeviceOptions{});
//
// The contract of a store is S-1 to S-10 of python/octavo/_src/stores/contract.py, where the stores are: any box is read and written, whole
// chunks are what it does well (Storage::chunk to read, Storage::write_chunk to write), and besides the caller's block, dense and in C order, it
// takes no more memory than Storage::unit_bytes. Threading: one thread. StoreDevice keeps D-1 to D-8, one request at a time (not C-12).
#pragma once

#include <functional>
#include <memory>

#include "octavo/data/page_device.hpp"

namespace octavo {

class Store {
 public:
  virtual ~Store() = default;
  virtual void read(const Box& box, dtype as, std::byte* to) = 0;
  virtual void write(const Box& box, dtype from, const std::byte* data) = 0;
  virtual void flush() = 0;
};

// What a program that serves StoreDevices knows how to open: a registry like that of methods, filled before the Runtime.
using OpenStore = std::function<std::unique_ptr<Store>(const Storage& storage)>;
void serve_stores(OpenStore open);

class StoreDevice : public PageDevice {
 public:
  StoreDevice(Storage storage, const Shape& page, DeviceOptions options);
  ~StoreDevice() override;
  DeviceFacts facts() override;
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override;
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override;
  future<void> write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) override;
  future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) override;
  void prefetch(std::int64_t page, const Box& part, dtype as) override;
  future<void> flush() override;
  DeviceCounters counters() override;
  Timeline timeline() override;

 protected:
  Box whole(std::int64_t page) override;

 private:
  ArrayPage page_for(const Shape& extents, dtype as);
  ArrayPage read_now(const Box& place, dtype as);
  void write_now(std::int64_t page, const Box& part, const Shape& extents, dtype type, const std::byte* data);
  Storage storage_;
  Shape page_;
  std::unique_ptr<class ReadAhead> ahead_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<class PhaseMeter> meter_;
  DeviceCounters counters_;
};
OCTAVO_REMOTE(StoreDevice, (PageDevice), facts)

}  // namespace octavo
