// SPDX-License-Identifier: Apache-2.0
// How what is posted to a mailbox or channel leaves for its reader in another process: who that is, as far as is known here, how much is on its way to it,
// and what the next post has to hear of its end.
// Threading: any.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "octavo/base/biased_lock.hpp"
#include "octavo/message/detail/channel/room.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// found_elsewhere: what was posted here before is being sent to the reader, ahead of anything else.
enum class reader_state : std::uint8_t { unknown, asked, here, found_elsewhere, elsewhere };

// Without credit, which is what the bound leaves: waits until the reader has taken some; sends nothing; or sends nevertheless.
enum class without_credit : std::uint8_t { wait_for_reader, do_not_send, send_anyway };

class Outlet {
 public:
  // `text`: how errors name the edge, which lives longer.
  Outlet(std::uint64_t id, const std::string& text, const Bound& bound) : id_(id), text_(text), room_(bound) {}

  [[nodiscard]] reader_state state() const noexcept { return state_.load(std::memory_order_acquire); }
  void change_state(reader_state before, reader_state now);
  [[nodiscard]] Life reader();

  // --- who reads ---
  void read_here();
  // From unknown to asked. Gives the reader that is known to be gone, if there was one; nothing: it is known or asked for already.
  std::optional<Life> begin_to_ask();
  // What was asked for. Nothing happens if a thread of this process has become the reader meanwhile.
  void found(const Life& reader, const std::exception_ptr& error);
  // From asked to found_elsewhere, where the reader was found.
  void begin_to_forward();
  // The reader is gone. `said`: the caller throws why, so that is not to be thrown once more. False: it was lost before.
  bool lose(const Life& reader, bool said = false);
  // It reads elsewhere now: who that is, is not known.
  void forget(const Life& reader);

  // --- what the next post throws ---
  [[nodiscard]] bool has_failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  void keep_error(std::exception_ptr error);
  void raise_failed();
  // There will be no reader any more: each post throws this.
  void end_with(std::exception_ptr error);

  // --- to the reader elsewhere. False: nothing was sent, for want of credit or because the reader is not there any more. ---
  // `deadline`: until then wait_for_reader waits.
  bool send(wire::SmallFrame& frame, without_credit policy, std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());
  bool send(wire::Outgoing& frame, without_credit policy, std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());
  // The message of this number cannot be sent: the reader is told why in its place.
  void send_missing(std::uint64_t number, std::string_view why);
  // The reader has taken all, as it has said; else it is asked.
  [[nodiscard]] bool all_was_taken();
  // Another writer posts here now: what was sent before is not its, nor what became of it.
  void begin_anew();
  // What the reader has taken.
  void hear(const Receipt& receipt);

 private:
  struct Credit {
    Life reader;
    bool asks_for_receipt = false;
  };
  std::optional<Credit> take_credit(std::uint64_t bytes, without_credit policy);
  std::optional<Credit> await_credit(std::uint64_t bytes, without_credit policy, std::chrono::steady_clock::time_point deadline);
  bool ask_for_receipt();
  template <class Send>
  bool send_within(std::uint64_t bytes, without_credit policy, std::chrono::steady_clock::time_point deadline, std::uint8_t& flags, const Send& send);
  [[noreturn]] void raise_left(const Life& reader);

  const std::uint64_t id_;
  const std::string& text_;
  std::atomic<reader_state> state_{reader_state::unknown};
  BiasedLock mutex_;  // of what is below
  Life reader_, lost_;
  Life left_;  // a reader that said so, of which posters have not heard yet
  std::exception_ptr error_, final_;
  std::atomic<bool> failed_{false};
  Room room_;
};

}  // namespace octavo::detail
