// SPDX-License-Identifier: Apache-2.0
// The lane of a connection whose other end writes what it likes: 64 lines as they lie in shared memory, read in all the ways there are.
// Input: a byte for each look that says which way, the half of the shared line and the place of what lies there, then the lines; what is missing is
// zeros. The low half of a mark in the input is added to the position it must have, so that zeros are lines that are there.
#include "road/lane/lane.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "fuzz/kit/check.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using octavo::fuzz::require;
using next = road::LaneReader::next;

constexpr std::size_t polls = 80;  // more than a lap

wire::FrameHeader known(wire::frame_kind kind) {
  wire::FrameHeader header;
  header.kind = kind;
  header.object = 5;
  return header;
}

void fill(std::array<road::Line, road::lane_lines>& lines, octavo::ByteView from) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::array<std::byte, sizeof(road::Line)> line{};
    std::copy_n(from.begin(), std::min(from.size(), line.size()), line.begin());
    from = from.subspan(std::min(from.size(), line.size()));
    std::uint64_t mark = 0;
    std::memcpy(&mark, line.data(), sizeof mark);
    auto said = road::LaneMark::of(mark);
    said.position += road::LaneMark::number(i);
    lines.at(i).mark.store(said.word());
    std::copy(line.begin() + sizeof mark, line.end(), lines.at(i).bytes.begin());
  }
}

// The half that the other end writes.
octavo::ByteView fill(road::SharedLine::Half& half, octavo::ByteView from) {
  std::array<std::uint64_t, 5> words{};
  const auto some = from.first(std::min(from.size(), sizeof words));
  if (!some.empty()) std::memcpy(words.data(), some.data(), some.size());
  auto said = road::LaneMark::of(words[0]);
  said.position += road::LaneMark::number(words[1] % polls);
  half.mark.store(said.word());
  half.call = static_cast<std::uint32_t>(words[2]);
  half.root = words[3];
  half.body = words[4];
  return from.subspan(some.size());
}

void look(road::LaneReader& reader, bool small, wire::Message& message) {
  wire::SmallFrame frame;
  if (small && reader.peek(frame)) {
    require(reader.ready(), "what can be looked at is there");
    require(frame.size <= wire::SmallFrame::most, "a small frame is small");
    require(reader.header_of(frame).body_bytes == frame.size, "its header says so");
    reader.pop();
    reader.release();
    return;
  }
  const bool calls = reader.is_for(wire::frame_kind::call, 0), answers = reader.answers(0);
  const auto what = reader.read(message);
  require(!answers || (what == next::frame && message.header.call == 0), "an answer that was seen comes");
  require(!calls || (what == next::frame && message.header.kind == wire::frame_kind::call && message.header.method == 0), "and a call");
  if (what == next::bytes) reader.learn(known(wire::frame_kind::call));
  if (what != next::frame) return;
  require(message.body.size() <= road::most_in_lane, "a body is no longer than a lane's can be");
  require(message.header.body_bytes == message.body.size() && message.bulk.empty(), "a frame is its body");
  require(message.header.page_count == message.pages.size() && road::content_of(message.body.size(), message.pages.size()) <= road::most_in_lane,
          "and its pages");
  reader.release();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto input = std::as_bytes(std::span(data, size));
  auto lines = std::make_unique<std::array<road::Line, road::lane_lines>>();
  auto control = std::make_unique<road::LaneControl>();
  road::SharedLine shared;
  fill(*lines, fill(shared.halves[0], input.subspan(std::min(input.size(), polls))));
  road::SharedLineEnd mine(shared, 1);
  road::LaneReader reader(control.get(), lines->data(), &mine);
  reader.learn(known(wire::frame_kind::call));
  wire::Message message;
  octavo::fuzz::accepts(size, [&] {
    for (std::size_t i = 0; i < polls && i < input.size(); ++i) look(reader, input[i] != std::byte{0}, message);
  });
  return 0;
}
