// SPDX-License-Identifier: Apache-2.0
#include "objects/mailbox/types.hpp"

#include <cmath>
#include <cstring>

#include "lock.hpp"
#include "objects/message/waiting.hpp"
#include "objects/tools.hpp"
#include "objects/value/block.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

namespace {

[[noreturn]] void refuse(nb::handle object, const std::string& why) {
  constexpr std::size_t most = 60;
  auto shown = nb::cast<std::string>(nb::repr(object));
  if (shown.size() > most) shown = nb::cast<std::string>(nb::str(object.type().attr("__name__"))) + " object";
  throw Misfit{shown + " (" + nb::cast<std::string>(nb::str(nb::type_name(object.type()))) + ") " + why};
}

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::object>(made);
}

nb::handle numpy_type(const char* name) { return nb::module_::import_("numpy").attr(name).ptr(); }

// A number without a fraction that is no bool; null: it is none.
nb::object whole_number(nb::handle object) {
  PyObject* o = object.ptr();
  if (PyLong_CheckExact(o)) return nb::borrow(o);
  if (PyBool_Check(o) || PyIndex_Check(o) == 0 || nb::isinstance(object, numpy_type("bool_")) ||
      Py_TYPE(o) == reinterpret_cast<PyTypeObject*>(tools().array_type.ptr()))
    return {};
  return checked(PyNumber_Index(o));
}

ArrayPage page_of(const nb::handle array, dtype type, const Shape& shape, const Seconds& seconds) {
  ValuePart part;
  if (take_page_of(array, part)) return {type, shape, part.page};
  const BorrowedBuffer elements(array.ptr());
  std::optional<ArrayPage> page;
  wait_in_steps(seconds, [&](std::chrono::steady_clock::duration time) {
    try {
      page = ArrayPage::make_by(type, shape, std::chrono::steady_clock::now() + time);
    } catch (const timed_out&) {
      return false;
    }
    std::memcpy(page->mutable_data(), elements.bytes().data(), elements.bytes().size());
    return true;
  });
  return page ? *page : ArrayPage();
}

}  // namespace

void TupleMessage::save(wire::Encoder& out) const {
  for (const auto& item : items) std::visit([&](const auto& value) { out(value); }, item.value);
}

void TupleMessage::load(wire::Decoder& in) {
  for (auto& item : items) std::visit([&](auto& value) { in(value); }, item.value);
}

template <>
TupleMessage made_of<TupleMessage>(const MessageType& type) {
  TupleMessage made;
  for (const auto& item : type.items) {
    auto& value = made.items.emplace_back().value;
    switch (item.kind) {
      case message_kind::integer: value.emplace<std::int64_t>(); break;
      case message_kind::real: value.emplace<double>(); break;
      case message_kind::text: value.emplace<std::string>(); break;
      case message_kind::bytes: value.emplace<ByteMessage>(); break;
      case message_kind::array: value.emplace<ArrayPage>(); break;
      case message_kind::tuple: value = made_of<TupleMessage>(item); break;
      case message_kind::of_python: throw usage_error("a tuple of messages of any kind", "Name the types of its items");
    }
  }
  return made;
}

bool take_message(nb::handle object, Value& into, const Seconds& /*seconds*/) {
  ValueEncoder(into, tools()).put(object);
  return true;
}

bool take_message(nb::handle object, std::int64_t& into, const Seconds& /*seconds*/) {
  const auto number = whole_number(object);
  if (!number.is_valid()) refuse(object, "is no int");
  int overflow = 0;
  into = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) refuse(object, "does not fit 64 bits");
  return true;
}

bool take_message(nb::handle object, double& into, const Seconds& /*seconds*/) {
  if (PyFloat_Check(object.ptr())) return into = PyFloat_AsDouble(object.ptr()), true;
  if (const auto number = whole_number(object); number.is_valid()) {
    into = PyLong_AsDouble(number.ptr());
    if (PyErr_Occurred() != nullptr) PyErr_Clear(), into = NAN;
    const bool is_exact = std::isfinite(into) && checked(PyLong_FromDouble(into)).equal(number);
    if (!is_exact) refuse(object, "is no float: not all of its digits fit");
    return true;
  }
  if (!nb::isinstance(object, numpy_type("floating")) || nb::isinstance(object, numpy_type("longdouble"))) refuse(object, "is no float");
  into = PyFloat_AsDouble(checked(PyNumber_Float(object.ptr())).ptr());
  return true;
}

bool take_message(nb::handle object, std::string& into, const Seconds& /*seconds*/) {
  if (PyUnicode_Check(object.ptr()) == 0) refuse(object, "is no str");
  if (!nb::try_cast(object, into)) refuse(object, "has a surrogate that stands for no byte");
  return true;
}

bool take_message(nb::handle object, ByteMessage& into, const Seconds& /*seconds*/) {
  if (PyBytes_Check(object.ptr()) == 0 && PyByteArray_Check(object.ptr()) == 0) refuse(object, "is no bytes");
  const BorrowedBuffer buffer(object.ptr());
  into.assign(buffer.bytes().begin(), buffer.bytes().end());
  return true;
}

bool take_message(nb::handle object, ArrayPage& into, const Seconds& seconds) {
  if (Py_TYPE(object.ptr()) != reinterpret_cast<PyTypeObject*>(tools().array_type.ptr())) refuse(object, "is no numpy.ndarray");
  const nb::object type = object.attr("dtype");
  const auto name = nb::cast<std::string>(nb::str(type));
  std::optional<dtype> known;
  try {
    known = parse_dtype(name);
  } catch (const octavo::error&) {
    refuse(object, "has elements of " + name + ", which no array page has");
  }
  if (nb::cast<int>(object.attr("ndim")) > max_dims) refuse(object, "has more than " + std::to_string(max_dims) + " dimensions");
  nb::object array = nb::borrow(object);
  if (!nb::cast<bool>(array.attr("flags").attr("c_contiguous"))) array = array.attr("copy")("C");
  Shape shape;
  for (auto extent : array.attr("shape")) shape.push_back(nb::cast<std::int64_t>(extent));
  into = page_of(array, *known, shape, seconds);
  return static_cast<bool>(into.page());
}

bool take_message(nb::handle object, TupleMessage& into, const Seconds& seconds) {
  if (PyTuple_Check(object.ptr()) == 0) refuse(object, "is no tuple");
  const auto count = static_cast<std::size_t>(PyTuple_Size(object.ptr()));
  if (count != into.items.size()) refuse(object, "has " + std::to_string(count) + " items");
  bool taken = true;
  for (std::size_t i = 0; taken && i < count; ++i) try {
      nb::handle item = PyTuple_GetItem(object.ptr(), static_cast<Py_ssize_t>(i));
      taken = std::visit([&](auto& value) { return take_message(item, value, seconds); }, into.items[i].value);
    } catch (Misfit& misfit) {
      misfit.text = "item " + std::to_string(i + 1) + ", " + misfit.text;
      throw;
    }
  return taken;
}

nb::object give_message(Value& value) { return ValueDecoder(value, tools()).get(); }
nb::object give_message(std::int64_t value) { return checked(PyLong_FromLongLong(value)); }
nb::object give_message(double value) { return checked(PyFloat_FromDouble(value)); }
nb::object give_message(const std::string& value) { return nb::cast(value); }
nb::object give_message(const ByteMessage& value) {
  return checked(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(value.data()), static_cast<Py_ssize_t>(value.size())));
}

nb::object give_message(ArrayPage& value) {
  if (static_cast<int>(value.type()) >= dtype_count || value.bytes() != value.shape().count() * size_of(value.type()))
    throw io_error("an array page without elements came", "Post one with a block");
  ValuePart part;
  part.page = value.page();
  nb::list shape;
  for (const auto extent : value.shape()) shape.append(extent);
  const std::string type(name_of(value.type()));
  value = {};  // the array alone has the page, and so may be written
  return tools().array_of(make_block(std::move(part)), type, nb::tuple(shape));
}

nb::object give_message(TupleMessage& value) {
  nb::object made = checked(PyTuple_New(static_cast<Py_ssize_t>(value.items.size())));
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    auto item = std::visit([](auto& each) { return give_message(each); }, value.items[i].value);
    if (PyTuple_SetItem(made.ptr(), static_cast<Py_ssize_t>(i), item.release().ptr()) != 0) throw nb::python_error();
  }
  return made;
}

}  // namespace octavo::bindings
