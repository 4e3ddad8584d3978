// SPDX-License-Identifier: Apache-2.0
#include "road/lane/lane.hpp"

#include <string>
#include <tuple>

namespace octavo::road {

LaneReader::next LaneReader::read(wire::Message& into) {
  const LaneMark mark = mark_at(head_);
  if (!is(mark, head_)) return next::nothing;
  if (mark.kind == 0) {
    ++head_;
    return next::bytes;
  }
  const auto kind = static_cast<wire::frame_kind>(mark.kind);
  wire::check_kind(kind);
  const std::size_t size = mark.body, count = lines_for(size);
  if (size > most_in_lane) wire::refuse_frame("a body of " + std::to_string(size) + " bytes in the lane");
  const auto& known = templates_.of(kind);
  if (known.object == 0) wire::refuse_frame("it names no process");
  into.clear();
  auto& header = into.header;
  header = known;
  header.kind = kind;
  header.flags = mark.flags;
  header.page_count = header.bulk_count = 0;
  header.body_bytes = size;
  const Line& first = line(head_);
  std::array<std::uint64_t, 3> fields{};
  std::memcpy(fields.data(), first.bytes.data(), sizeof fields);
  std::tie(header.call, header.root, header.method) = std::tie(fields[0], fields[1], fields[2]);
  into.body = wire::Buffer(size);
  std::byte* to = into.body.span().data();
  std::size_t done = std::min(size, body_of_first);
  if (done != 0) std::memcpy(to, first.bytes.data() + sizeof fields, done);
  for (std::size_t i = 1; i < count; ++i) {
    if (!is(mark_at(head_ + i), head_ + i)) wire::refuse_frame("it is shorter than it says");
    std::size_t n = std::min(size - done, body_of_next);
    std::memcpy(to + done, line(head_ + i).bytes.data(), n);
    done += n;
  }
  head_ += count;
  return next::frame;
}

}  // namespace octavo::road
