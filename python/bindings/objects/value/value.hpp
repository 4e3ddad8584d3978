// SPDX-License-Identifier: Apache-2.0
// A Python value on its way: bytes in a tagged form (codec.hpp), and buffers that travel beside them without a copy.
//
//   | number of parts, 1 B | kind, 1 B and size, 8 B of each part | bytes |      then the parts: bulk, or pages of the pool
//
// A part is borrowed from a Python object (kept until the Value ends), a page, a segment, or bytes that arrived. Threading: values; no interpreter lock is
// needed but to borrow. The destructor takes the lock where something is borrowed.
#pragma once

#include <Python.h>

#include <atomic>
#include <memory>
#include <vector>

#include "objects/value/segment.hpp"
#include "octavo/data/page.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::bindings {

// Memory of a Python object that is not moved or freed while this lives.
class BorrowedBuffer {
 public:
  explicit BorrowedBuffer(PyObject* object);  // throws nanobind::python_error
  ~BorrowedBuffer();
  BorrowedBuffer(const BorrowedBuffer&) = delete;
  BorrowedBuffer& operator=(const BorrowedBuffer&) = delete;
  [[nodiscard]] ByteView bytes() const noexcept { return {static_cast<const std::byte*>(view_.buf), static_cast<std::size_t>(view_.len)}; }

 private:
  Py_buffer view_{};
};

// What a page is to its receiver: read-only while others hold it; its own to write to, whoever else holds it; or the way that a value took, as any other bytes.
enum class page_use : std::uint8_t { shared, given, value };

struct ChannelEnd;  // of a channel of Python values (channel.hpp)

struct ValuePart {
  std::unique_ptr<BorrowedBuffer> borrowed;
  Page page;
  page_use use = page_use::shared;
  std::shared_ptr<std::atomic<bool>> given_away;  // of one to be given: set once it is sent
  wire::Buffer arrived;
  std::shared_ptr<PythonSegment> segment;  // instead of all that
  std::shared_ptr<ChannelEnd> end;         // the same
  [[nodiscard]] ByteView bytes() const noexcept;
};

class Value {
 public:
  static constexpr std::size_t most_parts = 255;
  Value() = default;
  Value(Value&&) noexcept = default;
  Value& operator=(Value&&) noexcept = default;
  ~Value();

  wire::Body body;       // on its way out
  wire::Buffer arrived;  // what came
  std::vector<ValuePart> parts;
  [[nodiscard]] ByteView bytes() const noexcept { return arrived.size() != 0 ? ByteView(arrived.span()) : ByteView(body); }

  // What is borrowed is copied.
  void own();
  // One that has memory of its own, but for pages and segments.
  [[nodiscard]] Value clone() const;
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);  // all that is left
  // Where other things follow: with its size.
  void save_sized(wire::Encoder& out) const;
  void load_sized(wire::Decoder& in);

 private:
  void save_parts(wire::Encoder& out) const;
  void load_parts(wire::Decoder& in);
};

}  // namespace octavo::bindings

// Buffers of Python objects, which it keeps.
template <>
inline constexpr bool octavo::wire::owns_what_it_saves<octavo::bindings::Value> = true;
