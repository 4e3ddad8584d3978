// SPDX-License-Identifier: Apache-2.0
// An array whose devices are given, processes of C++ or of Python: octavo/devices.py. Threading: any; the interpreter's lock is free while others answer.
#include <nanobind/stl/vector.h>

#include <set>

#include "lock.hpp"
#include "objects/pointer.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

Array array_of(const Integers& shape, const Integers& page, const std::string& type, nb::sequence devices, const std::string& map) {
  std::vector<remote_ptr<PageDevice>> all;
  for (nb::handle each : devices) all.emplace_back(address_of(each));
  const auto [kind, block] = map_of(map);
  const Shape extents = shape_of(shape), pages = shape_of(page);
  const auto count = static_cast<std::int64_t>(all.size());
  return {extents, pages, parse_dtype(type), std::move(all), PageMap(kind, grid_of(extents, pages), count, block)};
}

std::string name_of_device(std::size_t number, const DeviceFacts& facts) { return "device " + std::to_string(number) + ", '" + facts.path + "',"; }

// That each device has what the array wants of it. Asks all at once.
void check_devices(const Array& array) {
  std::vector<future<DeviceFacts>> asked;
  for (const auto& each : array.devices()) asked.push_back(start(each)->facts());
  std::set<std::pair<std::uint64_t, std::string>> known;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto facts = asked[i].get();
    if (!facts.path.empty() && !known.emplace(array.devices()[i].address().agent, facts.path).second)
      throw usage_error(name_of_device(i, facts) + " has the file of another one", "Give each device once, and each a file of its own");
    if (facts.page != array.page() || facts.type != array.type())
      throw usage_error(name_of_device(i, facts) + " has pages of " + facts.page.text() + " " + std::string(name_of(facts.type)) +
                            ", and the array has pages of " + array.page().text() + " " + std::string(name_of(array.type())),
                        "Make the devices with the array's page and dtype");
    if (facts.pages < array.map().pages_per_device())
      throw usage_error(
          name_of_device(i, facts) + " has " + std::to_string(facts.pages) + " pages, and the array needs " + std::to_string(array.map().pages_per_device()),
          "Make the devices with so many, or give more of them");
  }
}

}  // namespace

void add_device_array(nb::module_& m) {
  nb::class_<Array>(m, "DeviceArray")
      .def(
          "__init__",
          [](Array* self, const Integers& shape, const Integers& page, const std::string& type, nb::sequence devices, const std::string& map) {
            new (self) Array(array_of(shape, page, type, std::move(devices), map));
          },
          "shape"_a, "page"_a, "dtype"_a, "devices"_a, "map"_a)
      .def("check", &check_devices, nb::call_guard<Unlocked>());
}

}  // namespace octavo::bindings
