// SPDX-License-Identifier: Apache-2.0
#include "objects/value/value.hpp"

#include <nanobind/nanobind.h>

#include "octavo/base/error.hpp"

namespace octavo::bindings {

namespace {
enum class part_kind : std::uint8_t { bytes, shared_page, given_page, page_of_value };

part_kind kind_of(const ValuePart& part) {
  if (!part.page) return part_kind::bytes;
  return part.use == page_use::shared ? part_kind::shared_page : part.use == page_use::given ? part_kind::given_page : part_kind::page_of_value;
}
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
    auto kind = kind_of(part);
    out.put(&kind, 1);
    if (part.page) {
      part.page.save(out);
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
    part_kind kind{};
    in.get(&kind, 1);
    if (kind == part_kind::shared_page || kind == part_kind::given_page || kind == part_kind::page_of_value) {
      part.use = kind == part_kind::shared_page ? page_use::shared : kind == part_kind::given_page ? page_use::given : page_use::value;
      part.page.load(in);
      continue;
    }
    if (kind != part_kind::bytes) throw io_error("a Python value has a part of an unknown kind", "Use the same version of Octavo on both sides");
    std::uint64_t size = 0;
    in.get(&size, sizeof size);
    in.check_bytes(size, 1);
    part.arrived = in.take_bulk(static_cast<std::size_t>(size));
  }
  arrived = wire::Buffer(in.left());
  in.get(arrived.span().data(), arrived.size());
}

}  // namespace octavo::bindings
