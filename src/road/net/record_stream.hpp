// SPDX-License-Identifier: Apache-2.0
// The records that go and come over one link, and in which order: what keeps it alive, controls, then the data of the channels. Knows whether the other side
// still says something.
// Threading: one thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "octavo/road/relay.hpp"
#include "road/net/channels.hpp"

namespace octavo::road::net {

class RecordStream {
 public:
  // `control` is told of each that comes. `waiting_bytes`: of the controls not sent yet, the sum of their sizes.
  using TakeControl = std::function<void(ByteView bytes, std::vector<Fd> with)>;
  RecordStream(std::unique_ptr<Link> link, const RelayOptions& options, Channels& channels, TakeControl control, std::atomic<std::size_t>& waiting_bytes);

  void begin(Deadline now) { heard_ = now; }
  void add_controls(std::vector<Control> controls);
  // What is here now, for a while. Throws io_error at what is no record, or not allowed; and what `control` throws.
  void receive();
  // What the link takes now, for a while.
  void send();
  // All that waits, as long as the other side takes it; then the link is closed. No control is told any more.
  void send_last();
  // The link is closed, and nothing goes or comes any more.
  void end();

  [[nodiscard]] bool linked() const { return linked_; }
  [[nodiscard]] bool can_send() const { return linked_ && !blocked_; }
  [[nodiscard]] bool has_work() const { return (linked_ && readable_) || (can_send() && (!batch_.empty() || must_speak())); }
  [[nodiscard]] int descriptor() const { return link_->descriptor(); }
  [[nodiscard]] short events() const { return link_->events(blocked_); }  // to poll for
  void polled() { readable_ = true, blocked_ = false; }                   // and the poll returned

  // Why the link is lost; empty: it is not. Asks the other side for a sign of life when it was silent for a heartbeat until `looked`.
  [[nodiscard]] std::string why_lost(Deadline looked);
  // For how many milliseconds the link may be silent from `now` on; -1: for ever.
  [[nodiscard]] int patience(Deadline now) const;

 private:
  void handle(const Record& record);
  void take_control(const Record& record);
  void fill();
  [[nodiscard]] bool must_speak() const { return !hello_sent_ || owes_ping_ || owes_pong_ || !controls_.empty(); }

  std::unique_ptr<Link> link_;
  const RelayOptions& options_;
  Channels& channels_;
  const TakeControl control_;
  std::atomic<std::size_t>& waiting_bytes_;
  RecordDecoder decoder_;
  Batch batch_;
  wire::Buffer staging_;
  std::vector<Control> controls_;  // to be sent, from next_control_ on
  std::size_t next_control_ = 0;
  Deadline heard_;  // when something came last
  bool linked_ = true, ending_ = false;
  bool readable_ = true, blocked_ = false;  // the link may have more; it had no room
  bool hello_sent_ = false, pinged_ = false, owes_ping_ = false, owes_pong_ = false;
};

}  // namespace octavo::road::net
