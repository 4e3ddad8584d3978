// SPDX-License-Identifier: Apache-2.0
// A link carries bytes between two agents, which know already who the other is. This is the contract of every link;
// tests/conformance/road/link_test.cpp cites it. What the bytes mean is the relay's affair (relay.hpp).
//
//   auto link = road::open_unix_link(std::move(socket));
//   std::size_t taken = link->send(pieces);      // less than all: no room now
//   std::size_t came = link->receive(spans);     // less than asked: nothing more is here now
//   pollfd poll{link->descriptor(), link->events(sending), 0};   // then wait for this
//
// L-1  Order: bytes arrive in the order in which they were sent, each once.
// L-2  send() never waits: it takes what there is room for, from the front. If it took less than all, there is no room now.
// L-3  receive() never waits: it fills the spans in their order. If it filled less than all, nothing more is here now. What
//      lies behind that in them may have been written.
// L-4  After a short send() or receive(), a poll of descriptor() for events(sending) returns when trying again pays, or the
//      link is lost. It may return for nothing.
// L-5  What send() took before close() is received before the other side says lost(). If the link breaks instead, the last
//      bytes may be missing: what is received is always a beginning of what was sent.
// L-6  Once lost, always lost: lost() is true, why() says the first reason, send() takes and receive() gives nothing. Neither
//      throws for what the other side does. A link that can only not send any more is not lost yet.
// L-7  close(): this end is lost at once, the other side as soon as it has received everything. Twice is as good as once.
// L-8  Silence is no loss: a peer that says nothing for long is for the relay to judge.
// L-9  A link holds a bounded amount: if the other side does not receive, send() soon takes nothing.
// L-10 One thread at a time.
// L-11 What send() took arrives without further calls but those a poll of events(false) asks for.
// L-12 awaited(): the other side has not been there yet, but is on its way; silence counts from then on.
// L-13 send_lent(): as send(); but the bytes of a piece that has an owner may be looked at, and do not change, until the link lets go of that,
//      which it does by its end at the latest. close() lets go of all.
// L-14 A link that carries descriptors: each set that send_with() took is there for take_descriptors() of the other side as soon as receive() has given
//      the byte that it went with, in the order in which they were sent. A set that the other process had no room for is empty there. A side
//      that lets more than 64 sets lie is lost to the other (L-9).
// L-15 least_silence(): where what was sent may be seen late, so long is waited at least before silence is a loss.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::road {

class Link {
 public:
  using Owner = std::shared_ptr<const void>;
  virtual ~Link() = default;
  [[nodiscard]] virtual std::size_t send(std::span<const ByteView> pieces) = 0;
  // As many owners as pieces; null where the bytes are the caller's again.
  [[nodiscard]] virtual std::size_t send_lent(std::span<const ByteView> pieces, std::span<const Owner> /*owners*/) { return send(pieces); }
  [[nodiscard]] virtual std::size_t receive(std::span<const ByteSpan> into) = 0;
  [[nodiscard]] virtual int descriptor() const = 0;
  [[nodiscard]] virtual short events(bool sending) const = 0;  // of poll(2); `sending`: something waits to be sent
  [[nodiscard]] virtual bool lost() const = 0;
  [[nodiscard]] virtual std::string why() const = 0;  // empty until it is lost
  virtual void close() = 0;
  [[nodiscard]] virtual std::string_view kind() const = 0;  // "unix"
  [[nodiscard]] virtual bool awaited() const { return false; }
  [[nodiscard]] virtual std::chrono::milliseconds least_silence() const { return {}; }
  // Between two processes of one machine.
  [[nodiscard]] virtual bool carries_descriptors() const { return false; }
  // As send(); with the first byte go these descriptors, one to four, which stay the caller's. Only if the link carries any.
  [[nodiscard]] virtual std::size_t send_with(std::span<const ByteView> pieces, std::span<const int> descriptors);
  // The next set; nothing: none has come.
  [[nodiscard]] virtual std::optional<std::vector<Fd>> take_descriptors() { return std::nullopt; }
};

// Over a connected Unix stream socket; it carries descriptors. Throws usage_error if it is something else, refused if the other side is another user's.
std::unique_ptr<Link> open_unix_link(Fd socket);

}  // namespace octavo::road
