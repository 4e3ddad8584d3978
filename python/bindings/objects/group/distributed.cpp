// SPDX-License-Identifier: Apache-2.0
#include "objects/group/distributed.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstring>

#include "objects/group/group.hpp"
#include "objects/group/member.hpp"
#include "octavo/distributed/detail/distributed.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

using detail::Distributed, detail::DistributedFacts, detail::Scalar;
using Body = std::shared_ptr<Distributed>;

// The memory of a member's part: it stays as long as an array of NumPy lies on it.
struct PartMemory {
  std::shared_ptr<const void> holder;
  ByteSpan bytes;
};
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto& memory = *nb::inst_ptr<PartMemory>(self);
  return PyBuffer_FillInfo(view, self, memory.bytes.data(), static_cast<Py_ssize_t>(memory.bytes.size()), 0, flags);
}

// Memory of an array that is C-contiguous.
class Elements {
 public:
  Elements(nb::handle array, bool writes) {
    if (PyObject_GetBuffer(array.ptr(), &view_, writes ? PyBUF_WRITABLE : PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~Elements() { PyBuffer_Release(&view_); }
  Elements(const Elements&) = delete;
  Elements& operator=(const Elements&) = delete;
  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(view_.buf); }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

Split split_of(const Integers& grid, const Integers& blocks, const Integers& halo, std::vector<std::uint32_t> members) {
  auto made = Split::block_cyclic(shape_of(grid), shape_of(blocks)).halo(shape_of(halo));
  return members.empty() ? made : made.members(std::move(members));
}

Scalar scalar_of(nb::bytes value, dtype type) {
  Scalar made{type, {}};
  if (value.size() > made.bytes.size()) throw usage_error("a value of " + std::to_string(value.size()) + " bytes for an element");
  std::memcpy(made.bytes.data(), value.c_str(), value.size());
  return made;
}

boundary boundary_of(const std::string& name) {
  constexpr std::pair<std::string_view, boundary> known[] = {
      {"nearest", boundary::nearest}, {"reflect", boundary::reflect}, {"periodic", boundary::periodic}, {"none", boundary::none}};
  for (const auto& [text, how] : known)
    if (name == text) return how;
  throw usage_error("boundary '" + name + "'", "It is 'nearest', 'reflect', 'periodic', 'none' or a value");
}

reduction reduction_named(const std::string& name) {
  constexpr std::pair<std::string_view, reduction> known[] = {{"sum", reduction::sum},        {"prod", reduction::product}, {"min", reduction::min},
                                                              {"max", reduction::max},        {"any", reduction::any},      {"all", reduction::all},
                                                              {"squares", reduction::squares}};
  for (const auto& [text, how] : known)
    if (name == text) return how;
  throw usage_error("reduction '" + name + "'", "It is 'sum', 'prod', 'min', 'max', 'any', 'all' or 'squares'");
}

Body make(const GroupFacts& group, const Integers& shape, const std::string& type, const Split& split, nb::bytes fill) {
  const auto value = scalar_of(fill, parse_dtype(type));
  const auto extents = shape_of(shape);
  return wait_as_member([&] { return Distributed::make(*group.of, extents, value.type, split, value); });
}

// `to_others`: who may use the part when it is not held here any more.
nb::tuple facts_of(const Body& body, bool to_others) {
  if (to_others) body->keep();
  const auto& facts = body->facts();
  return nb::make_tuple(facts.id, integers(facts.shape), std::string(name_of(facts.type)), facts.split, GroupFacts{{body, &facts.group}}, facts.hosts);
}

Body known(std::uint64_t id, const Integers& shape, const std::string& type, const Split& split, const GroupFacts& group,
           const std::vector<std::string>& hosts) {
  return Distributed::known({id, shape_of(shape), parse_dtype(type), split, *group.of, hosts});
}

nb::object memory_of(const Body& body) {
  const auto bytes = static_cast<std::size_t>(body->wide().count() * size_of(body->facts().type));
  return nb::cast(PartMemory{body->part(), {body->data(), bytes}});
}

// `value`: that of the elements beyond the edge, if it has one.
void exchange_halo(const Body& body, const std::string& how, nb::bytes value) {
  const auto beyond = scalar_of(value, body->facts().type);
  const auto chosen = value.size() != 0 ? boundary::value : boundary_of(how);
  wait_as_member([&] { body->exchange_halo(chosen, beyond); });
}

void gather(const Body& body, std::size_t root, nb::handle to) {
  if (!body->is_gathered_here(root)) return wait_as_member([&] { body->gather(root, nullptr); });
  const Elements all(to, true);
  wait_as_member([&] { body->gather(root, all.data()); });
}

nb::tuple reduce(const Body& body, const std::string& name) {
  const auto how = reduction_named(name);
  const auto result = wait_as_member([&] { return body->reduce(how); });
  return nb::make_tuple(std::string(name_of(result.type)), nb::bytes(result.bytes.data(), static_cast<std::size_t>(size_of(result.type))));
}

Body reduce_axis(const Body& body, const std::string& name, int axis) {
  const auto how = reduction_named(name);
  return wait_as_member([&] { return body->reduce(how, axis); });
}

void put(const Body& body, nb::handle from) {
  const Elements all(from, false);
  if (static_cast<std::int64_t>(all.size()) != body->facts().shape.count() * size_of(body->facts().type))
    throw usage_error(std::to_string(all.size()) + " bytes for a " + body->facts().text(), "Give all its elements");
  wait_as_member([&] { body->put(all.data()); });
}

void add_split(nb::module_& m) {
  nb::class_<Split>(m, "Split")
      .def(
          "__init__",
          [](Split* self, const Integers& grid, const Integers& blocks, const Integers& halo, std::vector<std::uint32_t> members) {
            new (self) Split(split_of(grid, blocks, halo, std::move(members)));
          },
          "grid"_a, "blocks"_a, "halo"_a, "members"_a)
      .def_prop_ro("grid", [](const Split& self) { return integers(self.grid()); })
      .def_prop_ro("blocks", [](const Split& self) { return integers(self.blocks()); })
      .def_prop_ro("halo", [](const Split& self) { return integers(self.halo()); })
      .def_prop_ro("members", [](const Split& self) { return self.members(); })
      .def_prop_ro("text", &Split::text);
}

}  // namespace

void add_distributed(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<PartMemory>(m, "PartMemory", nb::type_slots(slots));
  add_split(m);
  nb::class_<Distributed>(m, "Distributed")
      .def_prop_ro("in_member", &Distributed::in_member)
      .def_prop_ro("text", [](const Body& self) { return self->facts().text(); })
      .def_prop_ro("extents", [](const Body& self) { return integers(self->extents()); })
      .def_prop_ro("wide", [](const Body& self) { return integers(self->wide()); })
      .def("facts", &facts_of, "to_others"_a)
      .def("own", [](const Body& self) { self->own(); })
      .def("memory", &memory_of)
      .def(
          "indices", [](const Body& self, int axis) { return self->indices(axis); }, "axis"_a)
      .def("exchange_halo", &exchange_halo, "boundary"_a, "value"_a)
      .def(
          "resplit", [](const Body& self, const Split& split) { return wait_as_member([&] { return self->resplit(split); }); }, "split"_a)
      .def(
          "like",
          [](const Body& self, const std::string& type) {
            const auto kind = parse_dtype(type);
            return wait_as_member([&] { return self->like(kind); });
          },
          "dtype"_a)
      .def(
          "is_gathered_here", [](const Body& self, std::size_t root) { return self->is_gathered_here(root); }, "root"_a)
      .def("gather", &gather, "root"_a, "to"_a.none())
      .def("reduce", &reduce, "name"_a)
      .def("reduce_axis", &reduce_axis, "name"_a, "axis"_a)
      .def("put", &put, "elements"_a);
  m.def("make_distributed", &make, "group"_a, "shape"_a, "dtype"_a, "split"_a, "fill"_a);
  m.def("known_distributed", &known, "id"_a, "shape"_a, "dtype"_a, "split"_a, "group"_a, "hosts"_a);
}

}  // namespace octavo::bindings
