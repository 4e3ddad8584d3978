// SPDX-License-Identifier: Apache-2.0
// The fast way of a shm connection: a ring of cache lines. A small frame is one line, handed over by the one store that marks it;
// what does not fit goes through the ring of bytes, announced here, so that all keep their order.
//
//   | mark 8 B | call | root | method | 32 B of content |   | mark | content goes on, 56 B |   ...
//
// The content is the frame's references to pages, if it has some, and its body.
// A mark holds the position of its line, in 32 bits: memory of an earlier lap is never taken for a new one. (Frames may go on through the shared line
// for long, and no line be written; so one lap in each 2^30 positions does not.) The fields of the header that are
// the same in all frames of a connection (its processes, incarnation and build) are not repeated: both sides have them from the last frame that came as bytes.
// The other process may be broken: marks and sizes are checked, nothing is read beyond the lane.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <tuple>

#include "octavo/road/connection.hpp"
#include "octavo/wire/frame.hpp"
#include "road/lane/shared_line.hpp"

namespace octavo::road {

struct alignas(64) Line {
  std::atomic<std::uint64_t> mark{0};
  std::array<std::byte, 56> bytes{};
};
static_assert(sizeof(Line) == 64);

inline constexpr std::size_t lane_lines = 64, lane_bytes = lane_lines * sizeof(Line);

struct LaneControl {
  alignas(64) std::atomic<std::uint64_t> head{0};  // written by the reader, a quarter of a lap at a time
  std::atomic<std::uint32_t> wants_room{0};        // by the writer
};

// What stands in a mark: | position + 1, 32 bits | bytes of content, 16 | pages, 4 | kind, 4 | flags, 8 |.
struct LaneMark {
  static constexpr std::uint8_t most_kinds = 16;
  std::uint32_t position = 0;
  std::uint16_t content = 0;
  std::uint8_t kind = 0;  // of the frame, and 16 for each of its pages; 0: the next frame comes as bytes
  std::uint8_t flags = 0;
  static std::uint8_t kind_of(wire::frame_kind frame, std::size_t pages) noexcept {
    return static_cast<std::uint8_t>(static_cast<std::size_t>(frame) + most_kinds * pages);
  }
  [[nodiscard]] wire::frame_kind frame() const noexcept { return static_cast<wire::frame_kind>(kind % most_kinds); }
  [[nodiscard]] std::size_t pages() const noexcept { return kind / most_kinds; }
  static std::uint32_t number(std::uint64_t position) noexcept { return static_cast<std::uint32_t>(position + 1); }
  [[nodiscard]] std::uint64_t word() const noexcept { return position | std::uint64_t{content} << 32 | std::uint64_t{kind} << 48 | std::uint64_t{flags} << 56; }
  static LaneMark of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint16_t>(word >> 32), static_cast<std::uint8_t>(word >> 48),
            static_cast<std::uint8_t>(word >> 56)};
  }
};
static_assert(static_cast<std::uint8_t>(wire::frame_kind::has_item) < LaneMark::most_kinds);

// What a frame in the lane does not repeat. Calls and answers of one direction have one each.
class LaneTemplates {
 public:
  [[nodiscard]] bool fits(const wire::FrameHeader& header) const noexcept {
    const auto& known = of(header.kind);
    return header.caller == known.caller && header.object == known.object && header.incarnation == known.incarnation && header.build == known.build &&
           known.object != 0;
  }
  [[nodiscard]] bool knows(wire::frame_kind kind) const noexcept { return of(kind).object != 0; }
  void learn(const wire::FrameHeader& header) noexcept { known_[is_answer(header.kind) ? 1 : 0] = header; }
  [[nodiscard]] const wire::FrameHeader& of(wire::frame_kind kind) const noexcept { return known_[is_answer(kind) ? 1 : 0]; }

 private:
  static bool is_answer(wire::frame_kind kind) noexcept { return kind == wire::frame_kind::reply || kind == wire::frame_kind::error; }
  std::array<wire::FrameHeader, 2> known_{};
};

inline constexpr std::size_t content_of_first = 32, content_of_next = sizeof(Line::bytes), most_in_lane = content_of_first + 7 * content_of_next;
static_assert(most_in_lane / sizeof(wire::PageRef) > most_pages_now && most_pages_now < 256 / LaneMark::most_kinds);

constexpr std::size_t lines_for(std::size_t content) noexcept {
  return content <= content_of_first ? 1 : 1 + (content - content_of_first + content_of_next - 1) / content_of_next;
}
constexpr std::size_t content_of(std::size_t body, std::size_t pages) noexcept { return body + pages * sizeof(wire::PageRef); }

class LaneWriter {
 public:
  LaneWriter() = default;
  // `shared`: of this end; null: there is none. `begin`: the first position.
  LaneWriter(LaneControl* control, Line* lines, SharedLineEnd* shared = nullptr, std::uint64_t begin = 0)
      : control_(control), lines_(lines), shared_(shared), tail_(begin), head_(begin) {}

  // Whether this frame may go by the lane.
  [[nodiscard]] bool takes(const wire::FrameHeader& header, std::size_t body, std::size_t pages = 0) const noexcept {
    return pages <= most_pages_now && content_of(body, pages) <= most_in_lane && templates_.fits(header);
  }
  // Of a frame that takes() lets in. False: there is no room now.
  bool write(const wire::FrameHeader& header, ByteView body, std::span<const wire::PageRef> pages = {}) noexcept {
    if (!has_room(lines_for(content_of(body.size(), pages.size())))) return false;
    if (pages.empty()) {
      write_lines(header, body, 0);
      return true;
    }
    std::array<std::byte, most_in_lane> content;  // NOLINT(cppcoreguidelines-pro-type-member-init): left uncleared
    std::memcpy(content.data(), pages.data(), pages.size_bytes());
    copy(content.data() + pages.size_bytes(), body);
    write_lines(header, ByteView(content).first(content_of(body.size(), pages.size())), pages.size());
    return true;
  }
  [[nodiscard]] bool takes(const wire::SmallFrame& frame) const noexcept { return templates_.knows(frame.kind); }
  bool write(const wire::SmallFrame& frame) noexcept {
    if (!has_room(1)) return false;
    const LaneMark mark{LaneMark::number(tail_), frame.size, static_cast<std::uint8_t>(frame.kind), frame.flags};
    if (shared_ != nullptr && may_share() && shared_->put(frame, mark.word(), tail_, method_, head_)) {
      went_on(1);
      return true;
    }
    method_ = frame.method;
    // Word by word, as it was most likely written: a wider read would wait until those words have left the store buffer.
    std::byte* at = line(tail_).bytes.data();
    for (const std::uint64_t* field : {&frame.call, &frame.root, &frame.method}) at = copy_word(at, field);
    const std::size_t size = std::min<std::size_t>(frame.size, wire::SmallFrame::most);
    for (std::size_t done = 0; done < size; done += sizeof(std::uint64_t)) at = copy_word(at, frame.body.data() + done);
    publish(mark, 1);
    return true;
  }
  // A frame comes as bytes, from here on. False: no room now.
  bool announce(const wire::FrameHeader& header) noexcept {
    if (!has_room(1)) return false;
    templates_.learn(header);
    publish({LaneMark::number(tail_)}, 1);
    return true;
  }
  [[nodiscard]] bool has_room(std::size_t lines = 1) noexcept {
    if (tail_ - head_ + lines <= lane_lines) return true;
    head_ = seen_head();
    return tail_ - head_ + lines <= lane_lines;
  }
  // Asks the reader to ring when it has made room. Look again afterwards.
  void want_room() noexcept { control_->wants_room.store(1, std::memory_order_seq_cst); }
  // Any thread: whether it has made room since.
  [[nodiscard]] bool got_room() const noexcept { return control_->wants_room.load(std::memory_order_acquire) == 0; }

 private:
  // The reader's head is not believed beyond what was written.
  [[nodiscard]] std::uint64_t seen_head() const noexcept {
    std::uint64_t head = control_->head.load(std::memory_order_acquire);
    return tail_ - head <= lane_lines ? head : head_;
  }
  static void copy(std::byte* to, ByteView from) noexcept {
    if (!from.empty()) std::memcpy(to, from.data(), from.size());
  }
  static std::byte* copy_word(std::byte* to, const void* from) noexcept {
    std::memcpy(to, from, sizeof(std::uint64_t));
    return to + sizeof(std::uint64_t);
  }
  Line& line(std::uint64_t position) const noexcept { return lines_[position % lane_lines]; }
  void write_lines(const wire::FrameHeader& header, ByteView content, std::size_t pages) noexcept {
    const std::size_t count = lines_for(content.size());
    std::array<std::uint64_t, 3> fields{header.call, header.root, header.method};
    Line& first = line(tail_);
    method_ = header.method;
    std::memcpy(first.bytes.data(), fields.data(), sizeof fields);
    std::size_t done = std::min(content.size(), content_of_first);
    copy(first.bytes.data() + sizeof fields, content.first(done));
    for (std::size_t i = 1; i < count; ++i) {
      Line& next = line(tail_ + i);
      std::size_t n = std::min(content.size() - done, content_of_next);
      copy(next.bytes.data(), content.subspan(done, n));
      next.mark.store(LaneMark{LaneMark::number(tail_ + i)}.word(), std::memory_order_relaxed);
      done += n;
    }
    publish({LaneMark::number(tail_), static_cast<std::uint16_t>(content.size()), LaneMark::kind_of(header.kind, pages), header.flags}, count);
  }
  void publish(LaneMark mark, std::size_t count) noexcept {
    line(tail_).mark.store(mark.word(), std::memory_order_release);
    went_on(count);
  }
  // A mark's number comes again after 2^32 positions. So that no mark in memory gets that old, in each 2^30 positions every line of the lane is written once
  // (for a lap no frame goes by the shared line), and the mark in the shared line, too.
  static constexpr std::uint64_t far = std::uint64_t{1} << 30;
  [[nodiscard]] bool may_share() const noexcept { return (tail_ + 2 * lane_lines) % far >= lane_lines; }
  void went_on(std::size_t lines) noexcept {
    const auto before = tail_;
    tail_ += lines;
    if (shared_ != nullptr && before / far != tail_ / far) shared_->forget(tail_, LaneMark::number(tail_) - static_cast<std::uint32_t>(far), lane_lines);
  }

  LaneControl* control_ = nullptr;
  Line* lines_ = nullptr;
  SharedLineEnd* shared_ = nullptr;
  std::uint64_t tail_ = 0, head_ = 0;
  std::uint64_t method_ = 0;  // of the last frame
  LaneTemplates templates_;
};

class LaneReader {
 public:
  enum class next : std::uint8_t { nothing, frame, bytes };
  LaneReader() = default;
  LaneReader(LaneControl* control, const Line* lines, SharedLineEnd* shared = nullptr, std::uint64_t begin = 0)
      : control_(control), lines_(lines), shared_(shared), head_(begin), released_(begin) {}

  // Where the next frame will show itself: in its line, or in the shared one.
  [[nodiscard]] NextMark next_mark() const noexcept {
    const auto* own = &line(head_).mark;
    return {own, shared_ != nullptr ? shared_->mark() : own, LaneMark::number(head_)};
  }
  [[nodiscard]] bool ready() const noexcept { return next_mark().is_there(); }
  // Whether what comes next is the reply to this call, or its error.
  [[nodiscard]] bool answers(std::uint64_t call) const noexcept {
    const auto at = first();
    const auto kind = at.mark.frame();
    if (!at.there || (kind != wire::frame_kind::reply && kind != wire::frame_kind::error)) return false;
    return (at.shared ? shared_->call() : word_of(line(head_), 0)) == call;
  }
  [[nodiscard]] bool is_for(wire::frame_kind kind, std::uint64_t method) const noexcept {
    const auto at = first();
    return at.there && at.mark.frame() == kind && (at.shared ? method_ : word_of(line(head_), 2)) == method;
  }
  // What comes next, if it is one line.
  [[nodiscard]] bool peek(wire::SmallFrame& into) const noexcept { return peek(first(), into); }
  // What was peeked at.
  void pop() noexcept { pop(first()); }
  // Both at once, if it is of this kind and for this method.
  took_small take(wire::SmallFrame& into, wire::frame_kind kind, std::uint64_t method) noexcept {
    const auto at = first();
    if (!at.there) return took_small::none_came;
    if (!peek(at, into) || into.kind != kind || into.method != method) return took_small::other_came;
    pop(at);
    return took_small::taken;
  }
  [[nodiscard]] wire::FrameHeader header_of(const wire::SmallFrame& frame) const noexcept {
    auto header = templates_.of(frame.kind);
    header.kind = frame.kind;
    header.flags = frame.flags;
    header.page_count = header.bulk_count = 0;
    header.body_bytes = frame.size;
    std::tie(header.call, header.root, header.method) = std::tie(frame.call, frame.root, frame.method);
    return header;
  }
  // What comes next: a frame, now in `into`, or one that comes as bytes; say afterwards what that was. Throws io_error at what no writer writes.
  next read(wire::Message& into);
  void learn(const wire::FrameHeader& header) noexcept { templates_.learn(header); }
  // Gives the room back, from time to time; true if the writer waits for it and wants to be rung.
  bool release() noexcept {
    if (head_ - released_ < lane_lines / 4) return false;
    control_->head.store(released_ = head_, std::memory_order_seq_cst);
    return control_->wants_room.load(std::memory_order_seq_cst) != 0 && control_->wants_room.exchange(0, std::memory_order_seq_cst) != 0;
  }

 private:
  static constexpr std::size_t word = sizeof(std::uint64_t);
  struct First {
    LaneMark mark;
    bool there, shared;
  };
  [[nodiscard]] First first() const noexcept {
    LaneMark mark = mark_at(head_);
    if (is(mark, head_)) return {mark, true, false};
    if (shared_ == nullptr) return {mark, false, false};
    mark = LaneMark::of(shared_->mark()->load(std::memory_order_acquire));
    const bool there = is(mark, head_);
    return {mark, there, there};
  }
  static std::uint64_t word_of(const Line& line, std::size_t which) noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, line.bytes.data() + which * word, word);
    return value;
  }
  static void read_fields(const Line& line, wire::SmallFrame& into) noexcept {
    std::tie(into.call, into.root, into.method) = std::tuple(word_of(line, 0), word_of(line, 1), word_of(line, 2));
  }
  bool peek(First at, wire::SmallFrame& into) const noexcept {
    into.kind = static_cast<wire::frame_kind>(at.mark.kind);
    const std::size_t most = at.shared ? SharedLine::most : wire::SmallFrame::most;
    if (!at.there || at.mark.kind == 0 || at.mark.kind >= LaneMark::most_kinds || at.mark.content > most || !templates_.knows(into.kind)) return false;
    into.size = at.mark.content;
    into.flags = at.mark.flags;
    if (at.shared) {
      into.method = method_;
      shared_->read(into);
      return true;
    }
    const Line& from = line(head_);
    read_fields(from, into);
    for (std::size_t done = 0; done < at.mark.content; done += word) std::memcpy(into.body.data() + done, from.bytes.data() + 3 * word + done, word);
    return true;
  }
  void pop(First at) noexcept {
    if (at.shared) shared_->take(LaneMark::number(head_));
    else method_ = word_of(line(head_), 2);
    went_on(1);
  }
  void went_on(std::size_t lines) noexcept {
    head_ += lines;
    if (shared_ != nullptr) shared_->came();
  }
  void read_lines(wire::Message& into, LaneMark mark);
  void read_content(LaneMark mark, std::byte* to) const;
  static bool is(LaneMark mark, std::uint64_t position) noexcept { return mark.position == LaneMark::number(position); }
  [[nodiscard]] const Line& line(std::uint64_t position) const noexcept { return lines_[position % lane_lines]; }
  [[nodiscard]] LaneMark mark_at(std::uint64_t position) const noexcept { return LaneMark::of(line(position).mark.load(std::memory_order_acquire)); }

  LaneControl* control_ = nullptr;
  const Line* lines_ = nullptr;
  SharedLineEnd* shared_ = nullptr;
  std::uint64_t head_ = 0, released_ = 0;
  std::uint64_t method_ = 0;  // of the last frame
  LaneTemplates templates_;
};

}  // namespace octavo::road
