// SPDX-License-Identifier: Apache-2.0
// octavo._core.DeviceBase: a device of the library within this process, behind octavo.PageFile and octavo.ZarrDevice. What it reads lies in the pool.
// Threading: any; the interpreter's lock is free while the disk works.
#include "objects/devices.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>

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

Box box_of(const Integers& lo, const Integers& hi) { return {shape_of(lo), shape_of(hi)}; }

// The page that the array fills; else a new one with its elements.
ArrayPage page_of(nb::handle array) {
  auto data = nb::cast<Dense>(array);
  const auto type = dtype_of_array(data.dtype());
  Shape shape = Shape::filled(static_cast<int>(data.ndim()), 0);
  for (int axis = 0; axis < shape.size(); ++axis) shape[axis] = static_cast<std::int64_t>(data.shape(static_cast<std::size_t>(axis)));
  if (const Page* page = whole_page_of(array)) return {type, shape, *page};
  nb::gil_scoped_release unlocked;
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

class DeviceBase {
 public:
  explicit DeviceBase(std::unique_ptr<StoredDevice> device) : device_(std::move(device)) {}
  [[nodiscard]] StoredDevice& of() const {
    if (!device_) throw usage_error("this device is closed", "Make another");
    return *device_;
  }
  void close() { device_.reset(); }

  [[nodiscard]] nb::tuple facts() const {
    auto facts = of().facts();
    return nb::make_tuple(facts.path, integers(facts.page), facts.pages, std::string(name_of(facts.type)));
  }
  [[nodiscard]] nb::tuple read(std::int64_t page, const Integers& lo, const Integers& hi, const std::string& as, const Integers& order) const {
    ArrayPage found;
    {
      nb::gil_scoped_release unlocked;
      const auto part = box_of(lo, hi);
      found = (order.empty() ? of().read(page, part, parse_dtype(as)) : of().read_permuted(page, part, parse_dtype(as), shape_of(order))).get();
    }
    return array_of(found);
  }
  void write(nb::handle array, std::int64_t page, const Integers& lo, const Integers& hi, const Integers& order, bool behind) const {
    auto data = page_of(array);
    nb::gil_scoped_release unlocked;
    const auto part = box_of(lo, hi);
    auto done = behind          ? of().write_behind(std::move(data), page, part)
                : order.empty() ? of().write(std::move(data), page, part)
                                : of().write_permuted(std::move(data), page, part, shape_of(order));
    done.get();
  }
  void prefetch(std::int64_t page, const Integers& lo, const Integers& hi, const std::string& as) const {
    of().prefetch(page, box_of(lo, hi), parse_dtype(as));
  }
  void flush() const { of().flush().get(); }
  [[nodiscard]] std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint64_t> counters() const {
    auto counted = of().counters();
    return {counted.bytes_read, counted.bytes_written, counted.requests, counted.road_bytes};
  }

 private:
  std::unique_ptr<StoredDevice> device_;
};

}  // namespace

void add_devices(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<DeviceBase>(m, "DeviceBase")
      .def("close", &DeviceBase::close, unlocked)
      .def("facts", &DeviceBase::facts)
      .def("read", &DeviceBase::read, "page"_a, "lo"_a, "hi"_a, "dtype"_a, "order"_a)
      .def("write", &DeviceBase::write, "array"_a, "page"_a, "lo"_a, "hi"_a, "order"_a, "behind"_a)
      .def("prefetch", &DeviceBase::prefetch, "page"_a, "lo"_a, "hi"_a, "dtype"_a, unlocked)
      .def("flush", &DeviceBase::flush, unlocked)
      .def("counters", &DeviceBase::counters, unlocked);
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
