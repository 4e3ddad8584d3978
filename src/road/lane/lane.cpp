// SPDX-License-Identifier: Apache-2.0
#include "road/lane/lane.hpp"

#include <string>

namespace octavo::road {

LaneReader::next LaneReader::read(wire::Message& into) {
  const auto at = first();
  if (!at.there) return next::nothing;
  if (at.mark.kind == 0) {
    went_on(1);
    return next::bytes;
  }
  const auto kind = static_cast<wire::frame_kind>(at.mark.kind);
  wire::check_kind(kind);
  if (at.mark.body > (at.shared ? SharedLine::most : most_in_lane))
    wire::refuse_frame("a body of " + std::to_string(at.mark.body) + " bytes in " + (at.shared ? "the shared line" : "the lane"));
  if (!templates_.knows(kind)) wire::refuse_frame("it names no process");
  if (!at.shared) {
    read_lines(into, at.mark);
    return next::frame;
  }
  wire::SmallFrame frame;
  if (peek(frame)) into = wire::message_of(header_of(frame), ByteView(frame.body).first(frame.size));
  pop();
  return next::frame;
}

void LaneReader::read_lines(wire::Message& into, LaneMark mark) {
  const std::size_t size = mark.body, count = lines_for(size);
  into.clear();
  const Line& first = line(head_);
  wire::SmallFrame fields;
  read_fields(first, fields);
  fields.kind = static_cast<wire::frame_kind>(mark.kind);
  fields.flags = mark.flags;
  fields.size = mark.body;
  into.header = header_of(fields);
  method_ = fields.method;
  into.body = wire::Buffer(size);
  std::byte* to = into.body.span().data();
  std::size_t done = std::min(size, body_of_first);
  if (done != 0) std::memcpy(to, first.bytes.data() + 3 * word, done);
  for (std::size_t i = 1; i < count; ++i) {
    if (!is(mark_at(head_ + i), head_ + i)) wire::refuse_frame("it is shorter than it says");
    std::size_t n = std::min(size - done, body_of_next);
    std::memcpy(to + done, line(head_ + i).bytes.data(), n);
    done += n;
  }
  went_on(count);
}

}  // namespace octavo::road
