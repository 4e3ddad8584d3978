// SPDX-License-Identifier: Apache-2.0
// The net road: a relay carries the connections of this machine's processes, and what the agents tell each other, over one link.
// For a process its end is a shm connection like any other; the relay holds the other end, and moves bytes, not frames.
//
//   road::Relay relay(std::move(link), {.control = on_control, .ended = on_ended, .lost = on_lost});
//   auto ends = road::make_shm_ends();            // one to the process, with relay.bell() as its peer's doorbell
//   relay.open(7, std::move(ends.second), bell_of_the_process);   // there, the other relay opens 7 too
//   relay.start();
//   relay.send_control(bytes);
//
// Channels. Each side opens or refuses each number, once, in any order; what comes before open() is kept. What a process wrote
// before it ended or close() is still delivered, then the other side's process is told that its peer is gone. A number is
// used once.
// Pages are sent from where they lie in the pool, and received into a page of the other machine's, while half of it stays free; else they come by
// value. They are the relay's while it has them: of the slot that processes hand them to (open_to_relay).
// Flow. Of each channel at most `window` bytes are kept here beyond the rings of its two processes; a process that does not read stops
// no other. Controls arrive in order, whole; they may overtake data, so conclude nothing from one about a channel.
// Loss. When the link breaks, speaks nonsense, or is silent for `silence`, lost() is called once; the channels end as if the
// processes there had died: what had come is delivered first. Other links are not concerned.
// Threading: open, close, refuse, send_control from any thread. Events come on the relay's thread: they must not wait, nor destroy
// the relay; they may call those four. What an event throws ends the link, with its text.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/road/link.hpp"
#include "octavo/road/shm.hpp"

namespace octavo::road {

struct RelayEvents {
  // The bytes are gone when it returns. `with`: the descriptors that were sent with it; none, if this process had no room for them.
  std::function<void(ByteView bytes, std::vector<Fd> with)> control = {};
  std::function<void(std::uint64_t channel)> ended = {};  // once for each that was opened: nothing of it is left here
  std::function<void(const std::string& why)> lost = {};
};

struct RelayOptions {
  std::size_t window = 256 << 10;             // 4 KiB to 1 GiB
  std::chrono::milliseconds heartbeat{1000};  // asks the other side for a sign of life when nothing came for so long
  std::chrono::milliseconds silence{10000};   // lost when nothing came for so long
  std::size_t most_control_bytes = 16 << 20;  // of one control: the same on both sides
  std::size_t most_waiting_bytes = 64 << 20;  // of the controls that the link has not taken
  std::size_t most_unopened = 1024;           // channels that only the other side has opened
  wire::SharedPages* pages = nullptr;         // of this machine. Null: pages come by value
};

class Relay {
 public:
  // Throws io_error, usage_error at options that make no sense.
  Relay(std::unique_ptr<Link> link, RelayEvents events, const RelayOptions& options = {});
  ~Relay();  // sends what processes have written, as long as the other side takes some of it within a second; closes the link, ends all channels. Calls no
             // event

  // Of the polled kind; the processes whose connections it holds ring it.
  [[nodiscard]] const Doorbell& bell() const;
  // `end` is the relay's, `process` the doorbell of the process that has the other, and `slot` that process's in the pool. Throws usage_error if the number is
  // open here.
  void open(std::uint64_t channel, ShmEnd end, Doorbell process, unsigned slot = 0);
  // As if the process here had died now. Nothing happens if the channel is not open any more.
  void close(std::uint64_t channel);
  // Instead of open(): the process there is told that its peer is gone.
  void refuse(std::uint64_t channel);
  // Throws refused when too much waits already, usage_error if it is too large. When the link is lost it does nothing.
  // `descriptors`: up to four, if the link carries any (L-14); they stay the caller's. Throws io_error at those.
  void send_control(ByteView bytes, std::span<const int> descriptors = {});
  [[nodiscard]] bool carries_descriptors() const;
  void start();
  // The link is lost, and some channels have not ended: what has come for their processes is still given to them.
  [[nodiscard]] bool carries() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace octavo::road
