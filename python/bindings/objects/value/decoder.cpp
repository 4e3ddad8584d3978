// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "objects/pointer.hpp"
#include "objects/value/block.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

namespace {

constexpr int most_depth = 64;

[[noreturn]] void refuse(const char* what) {
  throw io_error(std::string("a Python value that arrived ") + what, "Use the same version of Octavo on both sides");
}

nb::object checked(PyObject* made) {
  if (made == nullptr) throw nb::python_error();
  return nb::steal<nb::object>(made);
}

}  // namespace

ByteView ValueDecoder::take(std::uint64_t bytes) {
  if (bytes > left_.size()) refuse("ends too early");
  auto taken = left_.first(static_cast<std::size_t>(bytes));
  left_ = left_.subspan(taken.size());
  return taken;
}

std::uint8_t ValueDecoder::get_byte() { return static_cast<std::uint8_t>(take(1)[0]); }

std::uint64_t ValueDecoder::get_count() {
  std::uint64_t count = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    auto byte = get_byte();
    count |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return count;
  }
  refuse("has a count of more than 64 bits");
}

std::string_view ValueDecoder::get_text() {
  auto bytes = take(get_count());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

nb::object ValueDecoder::get(int depth) {
  if (depth == most_depth) refuse("is nested too deeply");
  switch (auto kind = static_cast<tag>(get_byte())) {
    case tag::none: return nb::none();
    case tag::yes: return nb::borrow(Py_True);
    case tag::no: return nb::borrow(Py_False);
    case tag::integer: {
      auto value = get_count();
      return checked(PyLong_FromLongLong(static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1))));
    }
    case tag::real: {
      double value = 0;
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
      return checked(PyFloat_FromDouble(value));
    }
    case tag::text: {
      auto text = get_text();
      return checked(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
    }
    case tag::bytes: return get_bytes();
    case tag::tuple:
    case tag::list: return get_items(kind, depth);
    case tag::dict: return get_dict(depth);
    case tag::array: return get_array();
    case tag::pointer: {
      Address address;
      std::memcpy(&address.agent, take(sizeof address.agent).data(), sizeof address.agent);
      std::memcpy(&address.incarnation, take(sizeof address.incarnation).data(), sizeof address.incarnation);
      std::memcpy(&address.object, take(sizeof address.object).data(), sizeof address.object);
      return make_pointer(address, get_text(), nb::none());
    }
    case tag::pickled: return get_pickled();
    case tag::scalar: {
      const auto type = get_text(), bytes = get_text();
      return tools_.number_of(nb::bytes(bytes.data(), bytes.size()), nb::str(type.data(), type.size()));
    }
  }
  refuse("has a tag that is not known here");
}

nb::object ValueDecoder::get_items(tag kind, int depth) {
  auto count = get_count();
  if (count > left_.size()) refuse("announces more items than it has bytes");
  auto size = static_cast<Py_ssize_t>(count);
  const bool is_tuple = kind == tag::tuple;
  nb::object items = checked(is_tuple ? PyTuple_New(size) : PyList_New(size));
  for (Py_ssize_t i = 0; i < size; ++i) {
    PyObject* item = get(depth + 1).release().ptr();
    if ((is_tuple ? PyTuple_SetItem(items.ptr(), i, item) : PyList_SetItem(items.ptr(), i, item)) != 0) throw nb::python_error();
  }
  return items;
}

nb::object ValueDecoder::get_dict(int depth) {
  nb::object items = checked(PyDict_New());
  for (auto count = get_count(); count != 0; --count) {
    nb::object key = get(depth + 1), value = get(depth + 1);
    if (PyDict_SetItem(items.ptr(), key.ptr(), value.ptr()) != 0) throw nb::python_error();
  }
  return items;
}

nb::object ValueDecoder::take_part(std::uint64_t index) {
  if (index == 0 || index > from_.parts.size()) refuse("names a part that did not come");
  return make_block(std::move(from_.parts[static_cast<std::size_t>(index - 1)]));
}

nb::object ValueDecoder::get_bytes() {
  if (auto index = get_count(); index != 0) {
    if (index > from_.parts.size()) refuse("names a part that did not come");
    auto bytes = from_.parts[static_cast<std::size_t>(index - 1)].bytes();
    return checked(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size())));
  }
  auto text = get_text();
  return checked(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

nb::object ValueDecoder::get_array() {
  auto type = get_text();
  auto dimensions = get_count();
  if (dimensions > left_.size()) refuse("announces more dimensions than it has bytes");
  nb::list shape;
  for (; dimensions != 0; --dimensions) shape.append(get_count());
  nb::object memory;
  if (auto index = get_count(); index != 0) {
    memory = take_part(index);
  } else {
    auto text = get_text();
    memory = checked(PyByteArray_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
  }
  return tools_.array_of(memory, nb::str(type.data(), type.size()), nb::tuple(shape));
}

nb::object ValueDecoder::get_pickled() {
  nb::list buffers;
  auto count = get_count();
  if (count > left_.size()) refuse("announces more parts than it has bytes");
  for (; count != 0; --count) buffers.append(take_part(get_count()));
  if (auto index = get_count(); index != 0) return tools_.loads(checked(PyMemoryView_FromObject(take_part(index).ptr())), buffers);
  auto text = get_text();
  auto view = checked(PyMemoryView_FromMemory(const_cast<char*>(text.data()), static_cast<Py_ssize_t>(text.size()), PyBUF_READ));
  return tools_.loads(view, buffers);
}

}  // namespace octavo::bindings
