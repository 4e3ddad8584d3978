// SPDX-License-Identifier: Apache-2.0
// Python values to bytes and back. None, bool, int, float, str, bytes, and tuples, lists and dicts of these have a tag each; so have arrays and
// numbers of NumPy and remote pointers. What C++ reads and writes of it: octavo/data/python/detail/tagged_value.hpp. Everything else goes through pickle
// (protocol 5 with buffers beside, cloudpickle where a class must travel by value).
//
//   Value value;  ValueEncoder(value, tools()).put(object);        nb::object object = ValueDecoder(value, tools()).get();
//
// Values are copied (C-4). A list that stands twice in one argument is one list on the other side, too: where that could be, pickle does it.
// Threading: with the interpreter's lock. Errors: what pickle raises, with the place in the arguments; io_error for bytes that are no value.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "objects/tools.hpp"
#include "objects/value/value.hpp"
#include "octavo/data/python/detail/tagged_value.hpp"

namespace octavo::bindings {

using tag = detail::value_tag;

// Of a type whose values never change, so that whether one stands twice cannot be seen.
bool is_unchangeable(PyObject* object);

class ValueEncoder {
 public:
  // `receiver`: the object that the value is for, which is then taught the definitions that it does not know. It may not change meanwhile.
  ValueEncoder(Value& to, const PythonTools& tools, const Address* receiver = nullptr) : to_(to), tools_(tools), receiver_(receiver) {}
  void put(nanobind::handle object);
  void put_count(std::uint64_t count);
  void put_text(std::string_view text);
  void put_byte(std::uint8_t byte) { to_.body.append(&byte, 1); }

 private:
  bool put_plain(nanobind::handle object, int depth);
  bool put_items(nanobind::handle object, tag kind, int depth);
  bool put_dict(nanobind::handle object, int depth);
  bool put_array(nanobind::handle array);
  bool put_scalar(nanobind::handle number);
  bool put_bytes(nanobind::handle object);
  void put_pickled(nanobind::handle object);
  void put_tag(tag kind) { put_byte(static_cast<std::uint8_t>(kind)); }
  std::uint64_t add_part(nanobind::handle object);
  Value& to_;
  const PythonTools& tools_;
  const Address* receiver_;
};

class ValueDecoder {
 public:
  ValueDecoder(Value& from, const PythonTools& tools) : from_(from), left_(from.bytes()), tools_(tools) {}
  nanobind::object get() { return get(0); }
  std::uint64_t get_count();
  std::string_view get_text();
  std::uint8_t get_byte();

 private:
  nanobind::object get(int depth);
  nanobind::object get_items(tag kind, int depth);
  nanobind::object get_dict(int depth);
  nanobind::object get_array();
  nanobind::object get_bytes();
  nanobind::object get_pickled();
  nanobind::object take_part(std::uint64_t index);
  ByteView take(std::uint64_t bytes);
  Value& from_;
  ByteView left_;
  const PythonTools& tools_;
};

}  // namespace octavo::bindings
