// SPDX-License-Identifier: Apache-2.0
// A Python value on its way, as C++ writes and reads it: what python/bindings/objects/value/codec.hpp encodes, of which C++ knows numbers, text, bytes, arrays
// of numbers, pointers, and lists of these.
//
//   TaggedValue value;  value.put_real(1.5);                        // encoder(value): all that is left is its; SizedValue: where other things follow
//   TaggedReader in(value);  if (in.tag() == value_tag::real) x = in.take_real();   else complain(in.described());
//
// Threading: values. Copies share their parts, which nobody writes to. Failure: io_error for bytes that are no value, not_supported for a segment or the end of
// a channel, which C++ does not know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octavo/data/page.hpp"

namespace octavo::detail {

// `scalar`: one element of an array, which NumPy has as a value of its own.
enum class value_tag : std::uint8_t { none, yes, no, integer, real, text, bytes, tuple, list, dict, array, pointer, pickled, scalar };

// What a request for a method of an object begins with: a byte, the name, and the arguments; call_with: all of these as one value.
enum class named_request : std::uint8_t { call, call_with, other };

class TaggedValue {
 public:
  // What travels beside: bytes, or a page of the pool.
  struct Part {
    Page page;
    std::uint8_t kind = 0;
    std::shared_ptr<const wire::Buffer> bytes;
    [[nodiscard]] ByteView view() const noexcept;
  };

  void put_tag(value_tag tag) { put_byte(static_cast<std::uint8_t>(tag)); }
  void put_byte(std::uint8_t byte) { body_.push_back(static_cast<std::byte>(byte)); }
  void put_count(std::uint64_t count);
  void put_text(std::string_view text);  // without a tag
  void put_integer(std::int64_t value);
  void put_real(double value);
  void put_bytes(ByteView bytes);
  void put_list(std::size_t count);  // its values follow
  void put_array(dtype type, const Shape& shape, ByteView elements);
  void put_array(const ArrayPage& array);  // its page is shared
  void put_scalar(dtype type, ByteView element);
  void put_pointer(const Address& to, std::string_view title);

  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);

 private:
  friend class TaggedReader;
  friend struct SizedValue;
  void put_raw(const void* data, std::size_t bytes);
  void put_array_facts(dtype type, const Shape& shape);
  void put_beside(ByteView bytes);
  void save_parts(wire::Encoder& out) const;
  void load_parts(wire::Decoder& in);
  std::vector<std::byte> body_;
  std::vector<Part> parts_;
};

struct SizedValue {
  TaggedValue value;
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);
};

// An array that came; it lies in the value.
struct TaggedArray {
  dtype type = dtype::float64;
  Shape shape;
  const Page* page = nullptr;  // that it fills; null: it lies in bytes
  ByteView elements;
};

class TaggedReader {
 public:
  explicit TaggedReader(const TaggedValue& from) : from_(&from), left_(from.body_) {}
  [[nodiscard]] value_tag tag() const;
  // The type of the value that is next, in Python's words, for errors.
  [[nodiscard]] std::string described() const;

  value_tag take_tag();
  std::uint8_t take_byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  std::uint64_t take_count();
  std::string_view take_text();  // without a tag
  // Of a value with its tag, which must be that.
  std::int64_t take_integer();
  double take_real();
  ByteView take_bytes();
  std::size_t take_list();  // or a tuple: how many values follow
  TaggedArray take_array();
  TaggedArray take_scalar();
  Address take_pointer(std::string& title);

 private:
  ByteView take(std::uint64_t bytes);
  ByteView take_beside();
  dtype take_dtype();
  const TaggedValue* from_;
  ByteView left_;
};

}  // namespace octavo::detail

template <>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::detail::TaggedValue> = true;
template <>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::detail::SizedValue> = true;
