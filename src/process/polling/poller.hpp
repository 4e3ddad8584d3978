// SPDX-License-Identifier: Apache-2.0
// Reads the connections of an endpoint: whichever thread waits does, one at a time, and what comes goes to the PollClient.
//
// Contract: what a dead peer had sent is given to the client before its death is. A connection that sends what cannot be understood is closed, and the client
// is told; the others are not concerned.
// Threading: any thread may wait; pump() and what the client is told are the reader's.
#pragma once

#include "process/peers/surroundings.hpp"
#include "process/polling/link_view.hpp"
#include "process/polling/waiters.hpp"

namespace octavo::detail {

// What comes, as the reader meets it.
class PollClient : NoCopy {
 public:
  virtual ~PollClient() = default;

  // Where a call is received that can be run from where it lies; null: it is to lie in a queue.
  [[nodiscard]] virtual wire::Message* call_buffer() = 0;
  // A call lies there: nothing more is read until it was run, or has left its place for the queue.
  [[nodiscard]] virtual bool call_buffer_is_taken() const = 0;
  virtual void leave_call_buffer() = 0;  // if this thread cannot run it now
  // Takes the small answers that come next, without a message. True if there were some.
  virtual bool take_small(const PeerLink& from) = 0;
  // Whatever is left in the message afterwards is cleared, unless the place is taken then.
  virtual void take(wire::Message& message, const PeerLink& from) = 0;
  // True: it is decoded by this thread, where it lies, before its bulk has come; the reader goes no further.
  [[nodiscard]] virtual bool receives_in_place(const wire::FrameHeader& header) = 0;
  virtual void damaged(const PeerLink& closed, const std::exception_ptr& why) = 0;
  virtual void died(const Obituary& death) = 0;
  // Something changed in the LinkTable, and all that had come by then was read.
  virtual void something_changed(bool some_died) = 0;

  // What the thread that waits does between two looks at the connections: calls back, resumes coroutines.
  virtual void go_on() = 0;
  [[nodiscard]] virtual bool may_go_on() const = 0;
  // Nothing is to be done: what it does from time to time, and when it does that next, at most `deadline`.
  virtual road::Deadline look_around(road::Deadline deadline) = 0;
};

class Poller {
 public:
  Poller(const Surroundings& around, PollClient& client) : around_(around), client_(client), view_(around.links), waiters_(around.bell) {}

  // Reads until `done`, or sleeps while another thread reads. False at the deadline. Throws what the client throws.
  bool wait(const std::function<bool()>& done, road::Deadline deadline) {
    if (waiters_.serves() && !waiters_.is_reader()) return wait_within_method(done, deadline);
    return waiters_.wait(done, deadline, [&] { return read_until(done, deadline); });
  }
  // By the reader.
  bool read_until(const std::function<bool()>& done, road::Deadline deadline);
  void pump();
  // What has come is read, if no other thread reads.
  void read_now();
  // Sleeps until something is to be read, or `ready`. False at the deadline.
  template <class Ready>
  bool sleep(const Ready& ready, road::Deadline deadline) {
    return around_.sleep([&] { return ready() || incoming(); }, deadline);
  }

  [[nodiscard]] LinkView& view() noexcept { return view_; }
  [[nodiscard]] const LinkView& view() const noexcept { return view_; }
  [[nodiscard]] Waiters& waiters() noexcept { return waiters_; }
  // This thread reads, and what it has read called: it reads no further.
  [[nodiscard]] bool is_pumping() const noexcept { return pumping_ != 0; }
  // Of waits on the reader's stack; where an object is served, on that of the thread of its methods.
  [[nodiscard]] unsigned depth() const noexcept { return depth_; }
  [[nodiscard]] bool incoming() const { return view_.changed() || view_.some_is_ready() || around_.links.death_is_due(); }
  // Peers came or went; a death may wait for what is read of its last words.
  [[nodiscard]] bool something_changed() const noexcept { return view_.changed() || around_.links.deaths_wait(); }
  // Closes a connection whose message cannot be understood. Called while the error is handled.
  void close_damaged(const PeerLink& link, error& why);

 private:
  class InPlace final : public wire::InPlaceReceiver {
   public:
    explicit InPlace(Poller& here) : here_(here) {}
    bool receives_in_place(const wire::FrameHeader& header) override;
    void await_bulk(const std::function<bool()>& here) override;
    [[nodiscard]] bool has_received() const noexcept { return has_received_; }  // in this round
    void begin() noexcept { has_received_ = false; }

   private:
    Poller& here_;
    bool has_received_ = false;
  };
  bool wait_within_method(const std::function<bool()>& done, road::Deadline deadline);
  void read_links();
  void read_from(const PeerLink& link);
  void give(wire::Message& message, const PeerLink& from);
  void deal_with_changes();

  const Surroundings around_;
  PollClient& client_;
  LinkView view_;
  Waiters waiters_;
  InPlace in_place_{*this};
  int pumping_ = 0;
  unsigned depth_ = 0;
};

}  // namespace octavo::detail
