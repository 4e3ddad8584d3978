// SPDX-License-Identifier: Apache-2.0
#include "objects/value/value.hpp"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <utility>

#include "lock.hpp"
#include "objects/value/channel.hpp"
#include "octavo/base/error.hpp"

namespace octavo::bindings {

namespace {
constexpr std::uint8_t bytes_follow = 0, segment_follows = 4, end_follows = 5;  // the kind of a part; else a page does, and the kind is 1 + its use
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
  with_lock([&] { parts.clear(); });
}

void Value::own() {
  bool borrows = false;
  for (auto& part : parts) {
    if (!part.borrowed) continue;
    borrows = true;
    const auto bytes = part.borrowed->bytes();
    part.arrived = wire::Buffer(bytes.size());
    std::copy(bytes.begin(), bytes.end(), part.arrived.span().begin());
  }
  if (!borrows) return;
  with_lock([&] {
    for (auto& part : parts) part.borrowed.reset();
  });
}

namespace {
wire::Buffer copy_of(ByteView bytes) {
  wire::Buffer copy(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.span().begin());
  return copy;
}
}  // namespace

Value Value::clone() const {
  Value copy;
  copy.body = body;
  copy.arrived = copy_of(arrived.span());
  for (const auto& part : parts) {
    auto& made = copy.parts.emplace_back();
    made.page = part.page;
    made.use = part.page ? page_use::value : part.use;
    made.segment = part.segment;
    made.end = part.end;
    if (!part.page && !part.segment && !part.end) made.arrived = copy_of(part.bytes());
  }
  return copy;
}

void Value::save(wire::Encoder& out) const {
  save_parts(out);
  const auto all = bytes();
  out.put(all.data(), all.size());
}

void Value::save_sized(wire::Encoder& out) const {
  save_parts(out);
  const auto all = bytes();
  const std::uint64_t size = all.size();
  out.put(&size, sizeof size);
  out.put(all.data(), all.size());
}

void Value::load(wire::Decoder& in) {
  load_parts(in);
  arrived = wire::Buffer(in.left());
  in.get(arrived.span().data(), arrived.size());
}

void Value::load_sized(wire::Decoder& in) {
  load_parts(in);
  std::uint64_t size = 0;
  in.get(&size, sizeof size);
  in.check_bytes(size, 1);
  arrived = wire::Buffer(static_cast<std::size_t>(size));
  in.get(arrived.span().data(), arrived.size());
}

void Value::save_parts(wire::Encoder& out) const {
  auto count = static_cast<std::uint8_t>(parts.size());
  out.put(&count, 1);
  for (const auto& part : parts) {
    if (part.segment) {
      out.put(&segment_follows, 1);
      const bool giving = std::exchange(out.giving, out.giving && part.segment.use_count() == 1);  // else an object of Python has it, too
      part.segment->save(out);
      out.giving = giving;
      continue;
    }
    if (part.end) {
      out.put(&end_follows, 1);
      part.end->save(out);
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
}

void Value::load_parts(wire::Decoder& in) {
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
    if (kind == end_follows) {
      part.end = std::make_shared<ChannelEnd>();
      part.end->load(in);
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
}

}  // namespace octavo::bindings
