// SPDX-License-Identifier: Apache-2.0
// Arrays with names, whose devices outlive the program: octavo/naming.py. Threading: any; the interpreter's lock is free while others answer.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <tuple>

#include "lock.hpp"
#include "objects/runtime.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/process/runtime.hpp"
#include "signals.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using Facts = std::tuple<std::string, std::string, std::int64_t, std::uint64_t, double>;
using File = std::tuple<std::string, std::string>;                  // path, machine
using Places = std::vector<std::pair<std::int64_t, std::int64_t>>;  // device and number there of each page, in C order

// In the Runtime that is in force, or in one for this call.
Storage named_storage(const std::string& name) {
  std::unique_ptr<Runtime> own;
  if (!is_in_force()) own = std::make_unique<Runtime>(RuntimeOptions{.memory = MiB, .ring_bytes = 32 * KiB, .reach = runtime_reach::scope});
  const auto mine = std::unique_ptr<Runtime::Use>(own ? new Runtime::Use(own->use()) : nullptr);
  const auto record = octavo::open<ArrayRecord>(name)->facts();
  const auto array = open_array(name);
  Storage found{.format = storage_format::pages, .path = name, .shape = array.shape(), .chunk = array.page(), .type = array.type()};
  std::vector<future<DeviceFacts>> asked;
  for (const auto& device : array.devices()) asked.push_back(start(device)->facts());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const std::string& machine = record.devices.at(i).machine;
    while (!asked[i].wait_for(std::chrono::milliseconds(100))) look_at_signals();
    found.files.push_back((machine.empty() || machine == "local" ? "" : machine + ":") + asked[i].get().path);
  }
  return found;
}

std::chrono::milliseconds milliseconds(double seconds) {
  // A year, which is for ever here, is far from what the cast holds.
  if (!(seconds >= 0 && seconds <= 365.0 * 24 * 3600)) throw usage_error("a time of " + std::to_string(seconds) + " s", "Give 0 to a year, in seconds");
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

PageMap map_over(const Shape& grid, std::int64_t devices, const std::string& name, const std::optional<Places>& given) {
  if (!given) {
    const auto [kind, block] = map_of(name);
    return {kind, grid, devices, block};
  }
  std::vector<PagePlace> places;
  for (const auto& [device, index] : *given) places.push_back({device, index});
  return PageMap::table(grid, devices, std::move(places));
}

void make_files(const NamedPlace& place, const Integers& shape, const Integers& page, const std::string& type, const std::vector<File>& files,
                const std::string& map, const std::optional<Places>& places, std::int64_t staging, std::int64_t cache) {
  if (files.empty()) throw usage_error("an array with a name and no device", "Give the file of at least one");
  std::vector<PageFilePlace> devices;
  for (const auto& [path, machine] : files) devices.push_back({path, machine, {staging, cache}});
  const Shape whole = shape_of(shape), each = shape_of(page);
  const auto over = map_over(grid_of(whole, each), static_cast<std::int64_t>(devices.size()), map, places);
  (void)place.make_array(whole, each, parse_dtype(type), devices, over);
}

std::vector<Facts> names(const std::string& prefix, const std::string& machine) {
  std::vector<Facts> all;
  for (const auto& each : octavo::names(Machine(machine), prefix)) all.emplace_back(each.name, each.class_name, each.pid, each.generation, each.made);
  return all;
}

}  // namespace

void add_named(nb::module_& m) {
  const auto unlocked = nb::call_guard<Unlocked>();
  nb::class_<NamedPlace>(m, "NamedPlace")
      .def(
          "__init__", [](NamedPlace* self, const std::string& name) { new (self) NamedPlace(name); }, "name"_a)
      .def(
          "resting_after", [](const NamedPlace& p, double idle) { return p.resting_after(milliseconds(idle)); }, "idle"_a)
      .def(
          "restart_when_called", [](const NamedPlace& p, std::uint32_t n, double within) { return p.restart_when_called(n, milliseconds(within)); },
          "restarts"_a, "within"_a)
      .def(
          "restart_always", [](const NamedPlace& p, std::uint32_t n, double within) { return p.restart_always(n, milliseconds(within)); }, "restarts"_a,
          "within"_a)
      .def("restart_never", &NamedPlace::restart_never)
      .def("saving_every_call", &NamedPlace::saving_every_call)
      .def(
          "on", [](const NamedPlace& p, const std::string& machine) { return p.on(Machine(machine)); }, "machine"_a)
      .def("make_array", &make_files, "shape"_a, "page"_a, "dtype"_a, "files"_a, "map"_a, "places"_a.none(), "staging"_a, "cache"_a, unlocked)
      .def(
          "make_array_over",
          [](const NamedPlace& p, const std::string& path, std::int64_t staging, std::int64_t cache) {
            (void)p.make_array(path, DeviceOptions{staging, cache});
          },
          "path"_a, "staging"_a, "cache"_a, unlocked);
  m.def("named_storage", &named_storage, "name"_a, unlocked);
  m.def(
      "destroy_array", [](const std::string& name) { destroy_array(name); }, "name"_a, unlocked);
  m.def("names", &names, "prefix"_a, "machine"_a, unlocked);
  m.def(
      "end_lasting_agent", [](const std::string& machine) { end_lasting_agent(Machine(machine)); }, "machine"_a, unlocked);
}

}  // namespace octavo::bindings
