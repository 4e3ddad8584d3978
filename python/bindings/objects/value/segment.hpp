// SPDX-License-Identifier: Apache-2.0
// octavo._core.SegmentMemory: the memory of an octavo.Segment, which an array of NumPy lies on (buffer protocol), and which travels as itself.
//
//   bool is_one = take_segment_of(buffer, part);        // also by way of a pickle.PickleBuffer; not of an array on it, which is a value
//
// Threading: with the interpreter's lock, but for PythonSegment.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "octavo/base/bytes.hpp"
#include "octavo/message/segment.hpp"

namespace octavo::bindings {

struct ValuePart;

// Of elements of a dtype of NumPy.
class PythonSegment : public detail::SegmentMemory {
 public:
  PythonSegment() = default;
  PythonSegment(const detail::ElementKind& kind, std::size_t elements) : SegmentMemory(kind, elements), element_bytes_(kind.bytes) {}
  PythonSegment(std::string name, const detail::ElementKind& kind, std::size_t elements)
      : SegmentMemory(std::move(name), kind, elements), element_bytes_(kind.bytes) {}
  [[nodiscard]] ByteSpan bytes() const noexcept { return {static_cast<std::byte*>(memory()), size() * element_bytes_}; }
  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);

 private:
  std::uint64_t element_bytes_ = 1;
};

nanobind::object make_segment(ValuePart part);
bool take_segment_of(nanobind::handle object, ValuePart& into);
void add_segment(nanobind::module_& m);

}  // namespace octavo::bindings
