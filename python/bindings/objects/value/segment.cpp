// SPDX-License-Identifier: Apache-2.0
#include "objects/value/segment.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

#include "lock.hpp"
#include "objects/value/value.hpp"
#include "octavo/base/error.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// What Python has of it.
struct SegmentObject {
  std::shared_ptr<PythonSegment> segment;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto bytes = nb::inst_ptr<SegmentObject>(self)->segment->bytes();
  return PyBuffer_FillInfo(view, self, bytes.data(), static_cast<Py_ssize_t>(bytes.size()), 0, flags);
}

}  // namespace

void PythonSegment::save(wire::Encoder& out) const {
  out(element_bytes_);
  put(out);
}

void PythonSegment::load(wire::Decoder& in) {
  in(element_bytes_);
  if (element_bytes_ == 0) throw io_error("a segment came with elements of no bytes", "Use the same version of Octavo on both sides");
  get(in, static_cast<std::size_t>(element_bytes_));
}

nb::object make_segment(ValuePart part) { return nb::cast(SegmentObject{std::move(part.segment)}); }

bool take_segment_of(nb::handle object, ValuePart& into) {
  if (nb::hasattr(object, "base")) return false;
  nb::object owner = nb::steal(PyMemoryView_FromObject(object.ptr()));
  if (!owner.is_valid()) return PyErr_Clear(), false;
  owner = owner.attr("obj");
  if (!nb::isinstance<SegmentObject>(owner)) return false;
  into.segment = nb::cast<SegmentObject&>(owner).segment;
  return true;
}

void add_segment(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<SegmentObject>(m, "SegmentMemory", nb::type_slots(slots))
      .def(
          "__init__",
          [](SegmentObject* self, const std::optional<std::string>& name, const std::string& dtype, std::size_t element_bytes, std::size_t elements) {
            const detail::ElementKind kind{dtype, element_bytes};
            new (self) SegmentObject{name ? std::make_shared<PythonSegment>(*name, kind, elements) : std::make_shared<PythonSegment>(kind, elements)};
          },
          "name"_a.none(), "dtype"_a, "element_bytes"_a, "elements"_a, nb::call_guard<Unlocked>())
      .def_prop_ro("name", [](const SegmentObject& s) { return s.segment->name(); });
}

}  // namespace octavo::bindings
