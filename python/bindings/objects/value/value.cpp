// SPDX-License-Identifier: Apache-2.0
#include "objects/value/value.hpp"

#include <nanobind/nanobind.h>

#include "octavo/base/error.hpp"

namespace octavo::bindings {

namespace {
constexpr std::uint8_t bytes_follow = 0, segment_follows = 4;  // the kind of a part; else a page does, and the kind is 1 + its use
}  // namespace

BorrowedBuffer::BorrowedBuffer(PyObject* object) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_SIMPLE) != 0) throw nanobind::python_error();
}

BorrowedBuffer::~BorrowedBuffer() { PyBuffer_Release(&view_); }

ByteView ValuePart::bytes() const noexcept {
  if (borrowed) return borrowed->bytes();
  if (page) return {page.data(), static_cast<std::size_t>(page.size())};
  return arrived.span();
}

Value::~Value() {
  bool borrows = false;
  for (const auto& part : parts) borrows = borrows || part.borrowed;
  if (!borrows) return;
  nanobind::gil_scoped_acquire locked;
  parts.clear();
}

void Value::save(wire::Encoder& out) const {
  auto count = static_cast<std::uint8_t>(parts.size());
  out.put(&count, 1);
  for (const auto& part : parts) {
    if (part.segment) {
      out.put(&segment_follows, 1);
      part.segment->save(out);
      continue;
    }
    const auto kind = part.page ? static_cast<std::uint8_t>(1 + static_cast<int>(part.use)) : bytes_follow;
    out.put(&kind, 1);
    if (part.page) {
      part.page.save(out);
      if (part.given_away) part.given_away->store(true);
      continue;
    }
    auto bytes = part.bytes();
    std::uint64_t size = bytes.size();
    out.put(&size, sizeof size);
    out.put_bulk(bytes.data(), bytes.size());
  }
  auto all = bytes();
  out.put(all.data(), all.size());
}

void Value::load(wire::Decoder& in) {
  std::uint8_t count = 0;
  in.get(&count, 1);
  parts.clear();
  for (int i = 0; i < count; ++i) {
    auto& part = parts.emplace_back();
    std::uint8_t kind = 0;
    in.get(&kind, 1);
    if (kind == segment_follows) {
      part.segment = std::make_shared<PythonSegment>();
      part.segment->load(in);
      continue;
    }
    if (kind > 1 + static_cast<int>(page_use::value))
      throw io_error("a Python value has a part of an unknown kind", "Use the same version of Octavo on both sides");
    if (kind != bytes_follow) {
      part.use = static_cast<page_use>(kind - 1);
      part.page.load(in);
      continue;
    }
    std::uint64_t size = 0;
    in.get(&size, sizeof size);
    in.check_bytes(size, 1);
    part.arrived = in.take_bulk(static_cast<std::size_t>(size));
  }
  arrived = wire::Buffer(in.left());
  in.get(arrived.span().data(), arrived.size());
}

}  // namespace octavo::bindings
