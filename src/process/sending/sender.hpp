// SPDX-License-Identifier: Apache-2.0
// How frames leave an endpoint: at once over a lane, or whole, waiting for room.
//
//   sender.fill_header(out.header, to, kind, method);
//   const PeerLink* by = sender.by_lane(to, tries, [&](const PeerLink& link) { return sender.send_now(link, out); });   // null: another way
//   sender.send(to, out, Sender::when_full::wait_then_hand_over);
//
// Threading: any; by_lane() by the reader. Failure: process_died, gone_error.
#pragma once

#include <immintrin.h>

#include "process/context/call_context.hpp"
#include "process/polling/poller.hpp"
#include "process/sending/background_sender.hpp"

namespace octavo::detail {

class Sender : NoCopy {
 public:
  // `look_around`: sends what waits for its reader to be found (sending/background_sender.hpp).
  Sender(const Surroundings& around, Poller& poller, const CallContext& context, std::function<void()> look_around);
  ~Sender();

  void fill_header(wire::FrameHeader& header, const Address& to, wire::frame_kind kind, std::uint64_t method) const;

  // --- over the lane, by the reader ---
  // While the lane is full this thread reads: the peer that is to make room may wait for that, and the answers of earlier calls lie in the other lane.
  template <class Send>
  const PeerLink* by_lane(const Address& to, int tries, Send send) {
    while (const auto* link = poller_.view().find(to)) {
      const auto went = send(*link);
      if (went == road::sent_now::sent) return link;
      if (went == road::sent_now::unsuitable || --tries == 0 || poller_.is_pumping()) return nullptr;
      poller_.pump();
      _mm_pause();
    }
    return nullptr;
  }
  // Without pages the road sees itself whether there is too much of it.
  [[nodiscard]] static bool may_go_now(const wire::Outgoing& out) noexcept;
  road::sent_now send_now(const PeerLink& by, wire::Outgoing& out) const;

  // --- whole, by any thread ---
  // Where there is no room: waits; waits for a moment, then hands the frame over to the background sender; hands it over at once.
  enum class when_full : std::uint8_t { wait_for_room, wait_then_hand_over, hand_over };
  // Of a frame that may go again, to the next life of an object with a name.
  class Resend {
   public:
    virtual ~Resend() = default;
    [[nodiscard]] virtual bool may_go_again() const = 0;
    virtual void about_to_leave(const PeerLink& by) = 0;  // each time
    // Throws where there is none, or it may not go again.
    virtual PeerLink next_life(const PeerLink& gone) = 0;
    [[nodiscard]] virtual bool given_up() const noexcept = 0;  // nobody waits for room then
  };
  void send(const Life& to, wire::Outgoing& out, when_full how = when_full::wait_for_room);
  // Its header is filled in. `link` is the one that it has left by.
  void send(PeerLink& link, wire::Outgoing& out, when_full how, Resend* resend);
  // Of what is posted: by the reader over the lane, by another thread over the link that there is, else whole.
  void post_small(const Life& to, const wire::SmallFrame& frame, when_full how);
  void post(const Life& to, wire::Outgoing& frame, when_full how);

  void count_sent(std::size_t bytes) const noexcept { context_.runs_methods() ? around_.row.sent(bytes) : around_.row.sent_aside(bytes); }
  [[nodiscard]] const std::shared_ptr<BackgroundSender>& background() const noexcept { return background_; }

 private:
  [[nodiscard]] int tries_to_post(when_full how) const;
  class Room;

  const Surroundings around_;
  Poller& poller_;
  const CallContext& context_;
  const std::uint32_t build_;
  std::shared_ptr<BackgroundSender> background_;  // the thread that listens to the agent may have it longer
};

}  // namespace octavo::detail
