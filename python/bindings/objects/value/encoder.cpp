// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "lock.hpp"
#include "objects/pointer.hpp"
#include "objects/value/block.hpp"
#include "objects/value/codec.hpp"
#include "octavo/base/error.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

namespace {
constexpr int most_depth = 32;
// Whether something in a tuple can be changed.
bool holds_changeable(PyObject* tuple) {
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i) {
    auto* item = PyTuple_GetItem(tuple, i);
    if (PyTuple_CheckExact(item) ? holds_changeable(item) : !is_unchangeable(item)) return true;
  }
  return false;
}

constexpr std::uint64_t inside = 0;  // instead of a part's index: the bytes follow
constexpr std::size_t least_paged = 256 << 10;

// Copies it into a page, which travels by reference: one copy, where the road has two. As long as half of the pool stays free for those that ask for pages.
void move_to_page(ValuePart& part) {
  const auto bytes = part.borrowed->bytes();
  if (bytes.size() < least_paged) return;
  const Pool& pool = job_pool();
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (pool.free_bytes() - size < pool.bytes() / 2) return;
  auto page = Page::try_make(size);
  if (!page) return;
  {
    const Unlocked unlocked;
    std::memcpy(page->mutable_data(), bytes.data(), bytes.size());
  }
  part.page = std::move(*page);
  part.use = page_use::value;
  part.borrowed.reset();
}
}  // namespace

bool is_unchangeable(PyObject* o) {
  return o == Py_None || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyUnicode_CheckExact(o) || PyBool_Check(o) || PyBytes_CheckExact(o);
}

void ValueEncoder::put_count(std::uint64_t count) {
  do {
    auto byte = static_cast<std::uint8_t>(count & 0x7f);
    count >>= 7;
    put_byte(count == 0 ? byte : byte | 0x80);
  } while (count != 0);
}

void ValueEncoder::put_text(std::string_view text) {
  put_count(text.size());
  to_.body.append(text.data(), text.size());
}

void ValueEncoder::put(nb::handle object) {
  const std::size_t begin = to_.body.size(), parts = to_.parts.size();
  if (!put_plain(object, 0)) {
    wire::Body before;  // what was put of it is taken back
    before.assign(ByteView(to_.body).first(begin));
    to_.body = std::move(before);
    to_.parts.resize(parts);
    put_pickled(object);
  }
  // Not before: the interpreter's lock is given up for it, and while the object is walked nothing but the lock keeps its items.
  for (auto part = to_.parts.begin() + static_cast<std::ptrdiff_t>(parts); part != to_.parts.end(); ++part)
    if (part->borrowed) move_to_page(*part);
}

// False: it, or something in it, is for pickle.
bool ValueEncoder::put_plain(nb::handle object, int depth) {
  PyObject* o = object.ptr();
  if (o == Py_None) return put_tag(tag::none), true;
  if (o == Py_True) return put_tag(tag::yes), true;
  if (o == Py_False) return put_tag(tag::no), true;
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow != 0) return false;
    put_tag(tag::integer);
    put_count((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    return true;
  }
  if (PyFloat_CheckExact(o)) {
    const double value = PyFloat_AsDouble(o);
    put_tag(tag::real);
    to_.body.append(&value, sizeof value);
    return true;
  }
  if (PyUnicode_CheckExact(o)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(o, &size);
    if (text == nullptr) return PyErr_Clear(), false;  // half of a surrogate pair
    put_tag(tag::text);
    put_text({text, static_cast<std::size_t>(size)});
    return true;
  }
  if (PyBytes_CheckExact(o)) return put_bytes(object);
  // What can be changed and has a name besides may stand twice in what is sent: pickle sees that.
  const bool may_stand_twice = depth > 0 && Py_REFCNT(o) > 1;
  if (Py_TYPE(o) == reinterpret_cast<PyTypeObject*>(tools_.array_type.ptr())) return !may_stand_twice && put_array(object);
  if (is_pointer(object)) {
    put_tag(tag::pointer);
    const Address& address = address_of(object);
    to_.body.append(&address.agent, sizeof address.agent);
    to_.body.append(&address.incarnation, sizeof address.incarnation);
    to_.body.append(&address.object, sizeof address.object);
    put_text(title_of(object));
    return true;
  }
  if (PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(tools_.number_type.ptr())) != 0) return put_scalar(object);
  if (depth == most_depth) return false;
  if (PyTuple_CheckExact(o)) return !(may_stand_twice && holds_changeable(o)) && put_items(object, tag::tuple, depth);
  if (may_stand_twice) return false;
  if (PyList_CheckExact(o)) return put_items(object, tag::list, depth);
  if (PyDict_CheckExact(o)) return put_dict(object, depth);
  return false;
}

bool ValueEncoder::put_items(nb::handle object, tag kind, int depth) {
  const bool is_tuple = kind == tag::tuple;
  const Py_ssize_t count = is_tuple ? PyTuple_Size(object.ptr()) : PyList_Size(object.ptr());
  put_tag(kind);
  put_count(static_cast<std::uint64_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = is_tuple ? PyTuple_GetItem(object.ptr(), i) : PyList_GetItem(object.ptr(), i);
    if (item == nullptr || !put_plain(item, depth + 1)) return PyErr_Clear(), false;
  }
  return true;
}

bool ValueEncoder::put_dict(nb::handle object, int depth) {
  put_tag(tag::dict);
  put_count(static_cast<std::uint64_t>(PyDict_Size(object.ptr())));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(object.ptr(), &at, &key, &value) != 0;)
    if (!put_plain(key, depth + 1) || !put_plain(value, depth + 1)) return false;
  return true;
}

// An index from 1 on.
std::uint64_t ValueEncoder::add_part(nb::handle object) {
  auto& part = to_.parts.emplace_back();
  if (!take_page_of(object, part)) part.borrowed = std::make_unique<BorrowedBuffer>(object.ptr());
  return to_.parts.size();
}

bool ValueEncoder::put_bytes(nb::handle object) {
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(object.ptr(), &data, &size) != 0) throw nb::python_error();
  const bool beside = static_cast<std::size_t>(size) >= wire::bulk_threshold;
  if (beside && to_.parts.size() == Value::most_parts) return false;
  put_tag(tag::bytes);
  put_count(beside ? add_part(object) : inside);
  if (!beside) put_text({data, static_cast<std::size_t>(size)});
  return true;
}

// One of numbers, in C order; others are for pickle.
bool ValueEncoder::put_array(nb::handle array) {
  auto type = array.attr("dtype");
  if (nb::cast<bool>(type.attr("hasobject")) || !type.attr("fields").is_none() || !nb::cast<bool>(array.attr("flags").attr("c_contiguous"))) return false;
  if (to_.parts.size() == Value::most_parts) return false;
  auto bytes = nb::cast<std::uint64_t>(array.attr("nbytes"));
  put_tag(tag::array);
  put_text(nb::cast<std::string>(type.attr("str")));
  nb::tuple shape = nb::cast<nb::tuple>(array.attr("shape"));
  put_count(nb::len(shape));
  for (auto extent : shape) put_count(nb::cast<std::uint64_t>(extent));
  if (bytes < wire::bulk_threshold) {
    put_count(inside);
    nb::object text = array.attr("tobytes")();
    put_text({PyBytes_AsString(text.ptr()), static_cast<std::size_t>(bytes)});
  } else {
    put_count(add_part(array));
  }
  return true;
}

// A number of NumPy, in the byte order of this machine, as all of them are. Of a class derived from one pickle knows more.
bool ValueEncoder::put_scalar(nb::handle number) {
  const nb::object type = number.attr("dtype");
  if (!type.attr("type").is(number.type())) return false;
  put_tag(tag::scalar);
  put_text(nb::cast<std::string>(type.attr("str")));
  const nb::object bytes = number.attr("tobytes")();
  put_text({PyBytes_AsString(bytes.ptr()), static_cast<std::size_t>(PyBytes_Size(bytes.ptr()))});
  return true;
}

void ValueEncoder::put_pickled(nb::handle object) {
  nb::list buffers;
  nb::object to = receiver_ == nullptr ? nb::none() : nb::object(nb::make_tuple(receiver_->agent, receiver_->incarnation, receiver_->object));
  nb::object text = tools_.dumps(object, buffers, to);
  if (to_.parts.size() + nb::len(buffers) > Value::most_parts) {
    text = tools_.dumps(object, nb::none(), to);  // all within
    buffers = nb::list();
  }
  char* data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(text.ptr(), &data, &size) != 0) throw nb::python_error();
  put_tag(tag::pickled);
  put_count(nb::len(buffers));
  for (auto buffer : buffers) put_count(add_part(buffer));
  const bool beside = static_cast<std::size_t>(size) >= wire::bulk_threshold && to_.parts.size() < Value::most_parts;
  put_count(beside ? add_part(text) : inside);
  if (!beside) put_text({data, static_cast<std::size_t>(size)});
}

}  // namespace octavo::bindings
