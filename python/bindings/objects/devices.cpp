// SPDX-License-Identifier: Apache-2.0
// octavo._core.DeviceBase: a device of the library within this process, behind octavo.devices.PageFile and octavo.devices.ZarrDevice. What it reads lies in the
// pool. Threading: any; the interpreter's lock is free while a call waits.
#include "objects/devices.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <mutex>

#include "lock.hpp"
#include "objects/value/block.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/page_device.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// C order, as long as the call that has it.
using Dense = nb::ndarray<nb::ro, nb::c_contig>;

template <class Work>
auto without_lock(Work work) {
  const Unlocked unlocked;
  return work();
}

Box box_of(const Integers& lo, const Integers& hi) { return {shape_of(lo), shape_of(hi)}; }

// A new page with the elements; or the one that the array fills, where the device is done with it when the call is.
ArrayPage page_of(nb::handle array, bool may_share) {
  auto data = nb::cast<Dense>(array);
  const auto type = dtype_of_array(data.dtype());
  const Shape shape = extents_of(data);
  if (const Page* page = may_share ? whole_page_of(array) : nullptr) return {type, shape, *page};
  const Unlocked unlocked;
  ArrayPage copy(type, shape);
  std::memcpy(copy.mutable_data(), data.data(), static_cast<std::size_t>(copy.bytes()));
  return copy;
}

// (memory, dtype, shape)
nb::tuple array_of(const ArrayPage& page) {
  ValuePart part;
  part.page = page.page();
  return nb::make_tuple(make_block(std::move(part)), std::string(name_of(page.type())), integers(page.shape()));
}

// Has the `whole` that each device has.
struct Whole : StoredDevice {
  static Box of(StoredDevice& device, std::int64_t page) { return (device.*&Whole::whole)(page); }
};

// A StoredDevice is of one thread, as the object of a process is; here several may come, those of Python and that of the process's calls, and one may close
// it. What they begin they begin one after the other, and wait for beside each other.
class DeviceBase final : public PageDevice {
 private:
  template <class Work>
  auto do_with(Work work) const {
    std::lock_guard lock(mutex_);
    return work(*held());
  }
  // What `begin` gives a future of. For Python.
  template <class Begin>
  auto await(Begin begin) const {
    const Unlocked unlocked;
    std::unique_lock lock(mutex_);
    const auto device = held();
    auto begun = begin(*device);
    lock.unlock();
    return begun.get();
  }
  [[nodiscard]] const std::shared_ptr<StoredDevice>& held() const {
    if (!device_) throw usage_error("this device is closed", "Make another");
    return device_;
  }

 public:
  explicit DeviceBase(std::unique_ptr<StoredDevice> device) : pool_(job_pool().weak_from_this().lock()), device_(std::move(device)) {}
  void close() {
    std::shared_ptr<StoredDevice> ended;
    std::lock_guard lock(mutex_);
    ended.swap(device_);  // it ends with the last call that has it
  }

  // --- for arrays, whose calls come without Python ---
  DeviceFacts facts() override {
    return do_with([](StoredDevice& device) { return device.facts(); });
  }
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override {
    return do_with([&](StoredDevice& device) { return device.read(page, part, as); });
  }
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override {
    return do_with([&](StoredDevice& device) { return device.write(std::move(data), page, part); });
  }
  future<ArrayPage> read_permuted(std::int64_t page, const Box& part, dtype as, const Shape& order) override {
    return do_with([&](StoredDevice& device) { return device.read_permuted(page, part, as, order); });
  }
  future<void> write_permuted(ArrayPage data, std::int64_t page, const Box& part, const Shape& order) override {
    return do_with([&](StoredDevice& device) { return device.write_permuted(std::move(data), page, part, order); });
  }
  future<void> write_behind(ArrayPage data, std::int64_t page, const Box& part) override {
    return do_with([&](StoredDevice& device) { return device.write_behind(std::move(data), page, part); });
  }
  void prefetch(std::int64_t page, const Box& part, dtype as) override {
    do_with([&](StoredDevice& device) { device.prefetch(page, part, as); });
  }
  future<void> flush() override {
    return do_with([](StoredDevice& device) { return device.flush(); });
  }
  DeviceCounters counters() override {
    return do_with([](StoredDevice& device) { return device.counters(); });
  }
  Timeline timeline() override {
    return do_with([](StoredDevice& device) { return device.timeline(); });
  }

  // --- for Python ---
  [[nodiscard]] nb::tuple read_array(std::int64_t page, const Integers& lo, const Integers& hi, const std::string& as, const Integers& order) const {
    return array_of(await([&, part = box_of(lo, hi), type = parse_dtype(as)](StoredDevice& device) {
      return order.empty() ? device.read(page, part, type) : device.read_permuted(page, part, type, shape_of(order));
    }));
  }
  void write_array(nb::handle array, std::int64_t page, const Integers& lo, const Integers& hi, const Integers& order, bool behind) const {
    await([&, part = box_of(lo, hi), data = page_of(array, !behind)](StoredDevice& device) mutable {
      if (behind) return device.write_behind(std::move(data), page, part);
      return order.empty() ? device.write(std::move(data), page, part) : device.write_permuted(std::move(data), page, part, shape_of(order));
    });
  }
  void flush_now() const {
    await([](StoredDevice& device) { return device.flush(); });
  }

 protected:
  Box whole(std::int64_t page) override {
    return do_with([&](StoredDevice& device) { return Whole::of(device, page); });
  }

 private:
  const std::shared_ptr<Pool> pool_;  // of the pages it has read ahead: it may outlive the Runtime
  mutable std::mutex mutex_;
  std::shared_ptr<StoredDevice> device_;
};

nb::tuple facts_of(DeviceBase& device) {
  const auto facts = without_lock([&] { return device.facts(); });
  return nb::make_tuple(facts.path, integers(facts.page), facts.pages, std::string(name_of(facts.type)));
}

std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t, Phases> counters_of(DeviceBase& device) {
  const auto counted = device.counters();
  return {counted.bytes_read, counted.bytes_written, counted.requests, counted.road_bytes, counted.phases};
}

}  // namespace

PageDevice* device_of(nb::handle base) { return nb::cast<DeviceBase*>(base); }

void add_devices(nb::module_& m) {
  const auto unlocked = nb::call_guard<Unlocked>();
  nb::class_<DeviceBase>(m, "DeviceBase")
      .def("close", &DeviceBase::close, unlocked)
      .def("facts", &facts_of)
      .def("read", &DeviceBase::read_array, "page"_a, "lo"_a, "hi"_a, "dtype"_a, "order"_a)
      .def("write", &DeviceBase::write_array, "array"_a, "page"_a, "lo"_a, "hi"_a, "order"_a, "behind"_a)
      .def(
          "prefetch",
          [](DeviceBase& device, std::int64_t page, const Integers& lo, const Integers& hi, const std::string& as) {
            device.prefetch(page, box_of(lo, hi), parse_dtype(as));
          },
          "page"_a, "lo"_a, "hi"_a, "dtype"_a, unlocked)
      .def("flush", &DeviceBase::flush_now)
      .def("counters", &counters_of, unlocked);
  m.def(
      "page_file",
      [](const std::string& path, std::int64_t pages, const Integers& page, const std::string& type, std::int64_t staging, std::int64_t cache) {
        return new DeviceBase(std::make_unique<PageFile>(path, pages, shape_of(page), parse_dtype(type), DeviceOptions{staging, cache}));
      },
      "path"_a, "pages"_a, "page"_a, "dtype"_a, "staging"_a, "cache"_a, unlocked, nb::rv_policy::take_ownership);
  m.def(
      "zarr_device",
      [](const std::string& path, std::int64_t staging, std::int64_t cache) {
        return new DeviceBase(std::make_unique<ZarrDevice>(path, DeviceOptions{staging, cache}));
      },
      "path"_a, "staging"_a, "cache"_a, unlocked, nb::rv_policy::take_ownership);
}

}  // namespace octavo::bindings
