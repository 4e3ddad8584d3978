// SPDX-License-Identifier: Apache-2.0
// A connection carries frames between two processes. This is the contract of every road; tests/conformance/road cites it.
//
//   connection->send(frame, on_full);
//   wire::Message message;
//   while (connection->receive(message)) handle(std::move(message));
//
// R-1  Order: frames arrive in the order in which send() was called, whole, once.
// R-2  send() returns when the road has all of the frame; borrowed bulk may be reused then. While the road is full it calls
//      `on_full` again and again; when that returns false the rest is copied and kept, and leaves with flush().
// R-3  receive() never waits: false means nothing whole is there now.
// R-4  When the other end is gone, what it had sent whole is still received; then gone() is true. send() to it throws gone_error.
// R-5  Pages travel as references, their bytes never, but between two pools; the message that arrives holds them (wire::Message).
// R-6  A frame that becomes receivable, room that becomes free for kept bytes (or a reader that asks for help with them), and the end of
//      the peer ring the doorbell given at creation. (For roads with a watch() descriptor, the end is told by the thread that polls that: notice_gone().)
// R-7  A road holds a bounded amount besides what send() was told to keep.
// R-8  What sends, and flush(), may be called by any thread; what receives by one at a time.
// R-9  A small frame, and one with most_pages_now pages at most, may go a shorter way: send_now(), send_small(), receive_answer(), receive_for()
//      and pop_small() keep R-1 with send() and receive(), and never wait. A SmallFrame goes when a frame of its direction (calls, answers) has gone before,
//      whose other fields it shares. Where a road gives a next_mark(), the receiving thread may look there itself for what comes next.
// R-10 receive() may give a message that `in_place` wants before its bulk has come (wire::Message::pending_bulk). Until that was read or the
//      message is gone, receive() says false, unless all of it has come meanwhile. What is left of one that is gone is passed over.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "octavo/road/doorbell.hpp"
#include "octavo/road/pace.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::road {

// Called while a road is full: true to try again (having waited or worked), false to keep the rest.
using OnFull = std::function<bool()>;
inline bool keep_rest() { return false; }
inline constexpr std::size_t most_pages_now = 4;

enum class sent_now : std::uint8_t { sent, no_room, unsuitable };  // no_room: try again soon; unsuitable: this frame goes another way
enum class took_small : std::uint8_t { none_came, other_came, taken };

// Where the next frame will show itself: a load, where ready() is a call. Until something was received.
struct NextMark {
  const std::atomic<std::uint64_t>*word = nullptr, *other = nullptr;  // in one of these; null: it shows itself nowhere
  std::uint32_t number = 0;
  [[nodiscard]] bool is_there() const noexcept { return (static_cast<unsigned>(is_in(*word)) | static_cast<unsigned>(is_in(*other))) != 0; }
  [[nodiscard]] bool is_in(const std::atomic<std::uint64_t>& mark) const noexcept {
    return static_cast<std::uint32_t>(mark.load(std::memory_order_acquire)) == number;
  }
  // Within so many polls.
  [[nodiscard]] bool comes(int polls) const noexcept {
    return word != nullptr && Pace::comes_within(polls, [this] { return is_there(); });
  }
  // As soon as it does of late.
  bool comes(Pace& pace) const noexcept {
    return word != nullptr && pace.comes([this] { return is_there(); });
  }
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual void send(const wire::Outgoing& frame, const OnFull& on_full) = 0;
  virtual bool flush() = 0;  // true when nothing is kept any more
  virtual bool receive(wire::Message& into, wire::InPlaceReceiver* in_place) = 0;
  bool receive(wire::Message& into) { return receive(into, nullptr); }
  // the short way, where a road has one. Unless it is `sent`, nothing was done.
  virtual sent_now send_now(const wire::Outgoing&) { return sent_now::unsuitable; }
  // The next frame, if it is there and the answer to this call.
  virtual bool receive_answer(std::uint64_t /*call*/, wire::Message& /*into*/) { return false; }
  // The next frame, small or not, if it is there, of this kind and for this method, and came the short way.
  virtual bool receive_for(wire::frame_kind /*kind*/, std::uint64_t /*method*/, wire::Message& /*into*/) { return false; }
  virtual sent_now send_small(const wire::SmallFrame&) { return sent_now::unsuitable; }
  // What comes next, if it is one: it is received with pop_small(), or in the usual way.
  virtual bool next_small(wire::SmallFrame& /*into*/) const { return false; }
  virtual void pop_small() {}
  // Both at once, if it is of this kind and for this method.
  took_small take_small(wire::SmallFrame& into, wire::frame_kind kind, std::uint64_t method) {
    const auto took = take_from_lane(into, kind, method);
    return took == took_small::none_came && ready() ? took_small::other_came : took;
  }
  [[nodiscard]] virtual NextMark next_mark() const { return {}; }
  // Within so many polls, with pauses between them: whether something came.
  [[nodiscard]] bool comes(int polls) const {
    const auto mark = next_mark();
    return mark.word != nullptr ? mark.comes(polls) : Pace::comes_within(polls, [this] { return ready(); });
  }
  // For a thread that has nothing else to do: rests for as long as what came of late took to come. Whether the next is there then.
  bool await_next() noexcept { return next_mark().comes(pace_); }
  [[nodiscard]] virtual wire::FrameHeader header_of(const wire::SmallFrame&) const { return {}; }
  [[nodiscard]] virtual bool ready() const = 0;     // something came since receive() last said false, or kept bytes may go on
  [[nodiscard]] virtual bool got_room() const = 0;  // no bytes are kept, or they may go on; for any thread, where ready() is for the one that reads
  [[nodiscard]] virtual bool gone() const = 0;      // and nothing is left to receive
  [[nodiscard]] virtual bool lost() const = 0;      // the other end is gone, though something may be left to receive
  virtual void notice_gone() = 0;
  virtual void close() = 0;                               // this end is gone from now on
  [[nodiscard]] virtual int watch() const { return -1; }  // becomes readable when the peer is gone
  [[nodiscard]] virtual std::string_view road() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes_sent() const = 0;  // all that went through the road: headers, bodies, bulk

 private:
  virtual took_small take_from_lane(wire::SmallFrame&, wire::frame_kind, std::uint64_t /*method*/) { return took_small::none_came; }

  Pace pace_;
};

using ConnectionPair = std::pair<std::shared_ptr<Connection>, std::shared_ptr<Connection>>;

}  // namespace octavo::road
