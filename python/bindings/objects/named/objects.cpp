// SPDX-License-Identifier: Apache-2.0
#include "objects/named/objects.hpp"

#include <nanobind/stl/vector.h>

#include "lock.hpp"
#include "objects/exchange.hpp"
#include "objects/pointer.hpp"
#include "objects/runtime.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "octavo/process/named.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// Where it is made, by this command now and whenever it comes back.
Placement placement_of(const NamedPlace& place, std::vector<std::string> server) {
  Placement where = place.placement();
  where.state_key = detail::StateOf<PythonObject>::entry->hash;
  where.server = std::move(server);
  return where;
}

nb::object make_named(const NamedPlace& place, std::vector<std::string> server, nb::handle what, nb::handle title, nb::handle names) {
  return begin_making(placement_of(place, std::move(server)), what, title, names);
}

// An object of Python that has this name; its class is asked for by octavo/objects/named. of_any: or one of C++.
nb::object open_named(const std::string& machine, const std::string& name, std::vector<std::string> server, nb::handle title, bool of_any) {
  Address address;
  {
    const Unlocked unlocked;
    const detail::Visit visit;
    address = detail::open_named_by(std::move(server), machine, name);
    if (!of_any) detail::check_class(address, detail::class_title<PythonObject>);
  }
  return make_pointer(address, nb::cast<std::string>(title), nb::none());
}

void save_object(nb::handle pointer) {
  const Address of = address_of(pointer);
  const Unlocked unlocked;
  const detail::Visit visit;
  detail::save_named(of);
}

}  // namespace

void add_named_objects(nb::module_& m) {
  m.def("make_named", &make_named, "place"_a, "server"_a, "what"_a, "title"_a, "names"_a.none());
  m.def("open_named", &open_named, "machine"_a, "name"_a, "server"_a, "title"_a, "of_any"_a = false);
  m.def("save_object", &save_object, "pointer"_a);
  m.def(
      "has_lasting_address", [](nb::handle pointer) { return address_of(pointer).lasting(); }, "pointer"_a);
  m.def(
      "restore_previous", [](const std::string& machine, const std::string& name) { octavo::restore_previous(Machine(machine), name); }, "machine"_a, "name"_a,
      nb::call_guard<Unlocked>());
}

}  // namespace octavo::bindings
