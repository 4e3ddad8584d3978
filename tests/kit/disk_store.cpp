// SPDX-License-Identifier: Apache-2.0
#include "kit/disk_store.hpp"

#include <filesystem>
#include <future>

#include "data/io/disk.hpp"

namespace octavo::kit {

namespace {

class DiskStore : public Store {
 public:
  explicit DiskStore(const Storage& storage) : file_(storage), disk_({.depth = 2, .buffer_bytes = 64 * KiB}) {
    file_.format = storage_format::raw;
    file_.chunk = file_.shape;
  }
  void read(const Box& box, dtype as, std::byte* to) override {
    wait([&](Done done) { disk_.read(block(), box, as, Tile::whole(to, box.extents()), {}, std::move(done)); });
  }
  void write(const Box& box, dtype from, const std::byte* data) override {
    wait([&](Done done) { disk_.write(block(), box, from, ConstTile::whole(data, box.extents()), std::move(done)); });
  }
  void flush() override { disk_.sync(); }

 private:
  [[nodiscard]] StoredBlock block() const { return block_of(file_, Shape::filled(file_.shape.size(), 0)); }
  template <class Begin>
  static void wait(Begin&& begin) {
    std::promise<void> moved;
    begin([&moved](const std::exception_ptr& error) { error ? moved.set_exception(error) : moved.set_value(); });
    moved.get_future().get();
  }
  Storage file_;
  Disk disk_;
};

// Before main, as every server of stores does before its Runtime.
[[maybe_unused]] const bool served = (serve_stores([](const Storage& storage) { return std::make_unique<DiskStore>(storage); }), true);

}  // namespace

Storage make_disk_store(const std::string& path, const Shape& shape, const Shape& chunk, dtype type) {
  Storage storage = create_storage(storage_format::raw, path, shape, shape, type);
  storage.format = storage_format::store;
  storage.chunk = chunk;
  storage.server = {std::filesystem::read_symlink("/proc/self/exe").string()};
  return storage;
}

remote_ptr<StoreDevice> make_store_device(const Machine& machine, const Storage& storage, const Shape& page, const DeviceOptions& options) {
  return machine.served_by(storage.server).make<StoreDevice>(storage, page, options);
}

}  // namespace octavo::kit
