// SPDX-License-Identifier: Apache-2.0
// One carrier of a steady link: what goes over it, from its greeting to its end.
//
//   | greeting 32 B |  then segments:  | bytes 4 B | last 4 B | received 8 B | so many bytes |
//
// `received` confirms; `last` is 1 when the sender has closed the link and nothing follows. Integers are little endian.
#pragma once

#include <optional>
#include <vector>

#include "octavo/road/steady_link.hpp"
#include "road/net/steady/retransmit_buffer.hpp"

namespace octavo::road::steady {

struct SegmentHead {
  std::uint32_t bytes = 0, last = 0;
  std::uint64_t received = 0;
};
static_assert(sizeof(SegmentHead) == 16);

inline constexpr std::uint32_t most_segment_bytes = (128 << 10) - sizeof(SegmentHead);  // so much a TLS link sends by one system call

// What outlives the carriers.
struct Stream {
  Stream(const Session& its, std::size_t most_kept) : session(its), ours(most_kept) {}
  Session session;
  RetransmitBuffer ours;
  std::uint64_t received = 0;  // of theirs, and given to the user
  bool closed = false;         // ours: nothing follows
  bool ended = false;          // theirs: all was received
};

class CarrierSession {
 public:
  // `theirs`: the greeting, if it was read before. Throws refused when it is not that of this session.
  CarrierSession(std::unique_ptr<Link> link, Stream& stream, const std::optional<SteadyGreeting>& theirs);

  // All that can be sent now. False: the link has no room for more.
  bool flush();
  // Throws refused at what is not this protocol, or not this session.
  [[nodiscard]] std::size_t receive(std::span<const ByteSpan> into);
  // Reads confirmations, as far as no bytes for the user lie before them. True: such bytes are here.
  [[nodiscard]] bool read_heads();
  // The other side has everything, and knows that nothing follows.
  [[nodiscard]] bool told_all() const { return last_sent_ && head_sent_ == sizeof head_ && left_ == 0 && stream_->ours.confirmed() == stream_->ours.end(); }
  [[nodiscard]] std::uint64_t ahead() const { return stream_->ours.end() - next_; }  // put, and not yet sent
  [[nodiscard]] Link& link() const { return *link_; }

 private:
  void greet(const SteadyGreeting& theirs);
  void hear(const SegmentHead& head);
  [[nodiscard]] bool must_confirm() const;
  bool send_piece();
  std::size_t receive_piece(std::span<const ByteSpan> into, std::size_t skip);

  std::unique_ptr<Link> link_;
  Stream* stream_;
  // In.
  SteadyGreeting greeting_in_;
  std::size_t greeting_came_ = 0;
  bool greeted_ = false;
  SegmentHead head_in_;
  std::size_t head_came_ = 0, left_in_ = 0;
  bool is_last_in_ = false;  // the segment that comes; its head's place is room for the next one's, in which a link may have begun to write (L-3)
  std::vector<ByteSpan> spans_;
  bool dry_ = false;  // the link gave less than asked
  // Out.
  SteadyGreeting greeting_;
  SegmentHead head_;
  std::size_t greeting_sent_ = 0, head_sent_ = sizeof(SegmentHead), left_ = 0;
  std::uint64_t next_ = 0, confirmed_to_them_ = 0;
  bool last_sent_ = false;
};

}  // namespace octavo::road::steady
