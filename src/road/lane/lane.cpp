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
  const auto kind = at.mark.frame();
  wire::check_kind(kind);
  const std::size_t content = at.mark.content, pages = at.mark.pages();
  if (content > (at.shared ? SharedLine::most : most_in_lane) || content < content_of(0, pages))
    wire::refuse_frame(std::to_string(content) + " bytes with " + std::to_string(pages) + " pages in " + (at.shared ? "the shared line" : "the lane"));
  if (!templates_.knows(kind)) wire::refuse_frame("it names no process");
  if (!at.shared) {
    read_lines(into, at.mark);
    return next::frame;
  }
  wire::SmallFrame frame;
  if (!peek(at, frame)) wire::refuse_frame("what is no small frame, in the shared line");
  into = wire::message_of(header_of(frame), ByteView(frame.body).first(frame.size));
  pop(at);
  return next::frame;
}

void LaneReader::read_lines(wire::Message& into, LaneMark mark) {
  const std::size_t pages = mark.pages();
  into.clear();
  wire::SmallFrame fields;
  read_fields(line(head_), fields);
  fields.kind = mark.frame();
  fields.flags = mark.flags;
  fields.size = static_cast<std::uint16_t>(mark.content - content_of(0, pages));
  into.header = header_of(fields);
  method_ = fields.method;
  into.body = wire::Buffer(fields.size);
  if (pages == 0) {
    read_content(mark, into.body.span().data());
  } else {
    std::array<std::byte, most_in_lane> content;  // NOLINT(cppcoreguidelines-pro-type-member-init): left uncleared
    read_content(mark, content.data());
    into.keeper = nullptr;  // nobody's, until they are accepted
    into.header.page_count = static_cast<std::uint32_t>(pages);
    into.pages.resize(pages);
    std::memcpy(into.pages.data(), content.data(), content_of(0, pages));
    std::memcpy(into.body.span().data(), content.data() + content_of(0, pages), fields.size);
  }
  went_on(lines_for(mark.content));
}

void LaneReader::read_content(LaneMark mark, std::byte* to) const {
  std::size_t done = std::min<std::size_t>(mark.content, content_of_first);
  if (done != 0) std::memcpy(to, line(head_).bytes.data() + 3 * word, done);
  for (std::size_t i = 1, count = lines_for(mark.content); i < count; ++i) {
    if (!is(mark_at(head_ + i), head_ + i)) wire::refuse_frame("it is shorter than it says");
    std::size_t n = std::min(mark.content - done, content_of_next);
    std::memcpy(to + done, line(head_ + i).bytes.data(), n);
    done += n;
  }
}

}  // namespace octavo::road
