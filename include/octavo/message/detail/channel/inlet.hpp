// SPDX-License-Identifier: Apache-2.0
// What has come to the reader of a mailbox or channel from other processes, and what it has told them of what it has taken. The messages of a channel have
// numbers, from 1: they are taken in this order, by whichever ways they came.
// Threading: any, but for what is marked.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "octavo/base/biased_lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/message/detail/channel/room.hpp"
#include "octavo/message/detail/channel/waiting.hpp"

namespace octavo::detail {

struct Arrival {
  wire::Message message;
  Life from;
};

// A value that a waiting thread wants filled: a message whose bulk has not come yet is decoded into it by the same thread, which reads.
struct InPlaceReceive {
  std::thread::id thread;
  std::function<void(wire::Message& message, const Life& from)> decode;
  bool taken = false;
  std::exception_ptr error;
};

class Inlet {
 public:
  // `text`: how errors name the edge, which lives longer.
  Inlet(std::uint64_t id, const std::string& text, const Bound& bound, bool numbered) : id_(id), text_(text), numbered_(numbered), receipts_(bound) {}

  // --- by the thread that reads the connections ---
  // This thread waits here, and nothing lies here: a message may be given to arrived() before its bulk has come.
  [[nodiscard]] bool receives_in_place(std::uint64_t number);
  void arrived(wire::Message message, const Life& from);
  // A writer asks for a receipt.
  void asked(const Life& from);

  // Something has come, or nothing will any more.
  [[nodiscard]] bool has() const noexcept { return left_.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] bool has_message() const noexcept { return (left_.load(std::memory_order_acquire) & ~over) != 0; }
  [[nodiscard]] bool is_over() const noexcept { return left_.load(std::memory_order_acquire) == over; }
  // Where the number of messages that lie here is shown from now on (`octavo ls`); null: nowhere.
  void show_unread(std::atomic<std::uint64_t>* at);
  std::optional<Arrival> take();
  // Waits until `here` holds, or `receive.taken`. False at the deadline.
  bool wait_to_receive(InPlaceReceive& receive, const Predicate& here, std::chrono::steady_clock::time_point deadline);
  // `asked`: the message asks for a receipt.
  void count_taken(const Life& from, std::size_t bytes, bool asked);
  [[noreturn]] void raise_missing(const Life& from, const wire::Message& why) const;
  [[noreturn]] void raise_undecoded(const std::string& type, const Life& from, const error& why) const;

  // --- of a channel ---
  // The number of the next message to come, from another process or this one.
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_number_.load(std::memory_order_acquire); }
  // The message of this number was taken past arrived(). False: it was not its turn, and it is to be given to arrived().
  bool took(std::uint64_t number);
  // All have come that were posted, as far as that is known.
  [[nodiscard]] bool has_all();
  // The reader has gone, for good: what is here is dropped.
  void drop_all();
  // The reader has come here, and goes on with this number.
  void begin_at(std::uint64_t number);
  // The reader leaves. Gives the first that it has not taken: there it goes on elsewhere. What is here, and comes, is for there, in whichever order.
  [[nodiscard]] std::uint64_t leave();
  // One of these is still to come.
  [[nodiscard]] bool lacks(std::uint64_t first, std::uint64_t last);
  // The last has this number; behind it the reader hears of `error`, if there is one.
  void end_after(std::uint64_t last, std::exception_ptr error = nullptr);
  [[nodiscard]] std::optional<std::uint64_t> last();
  // The reader hears of this error when it has taken what is here; once. Then it is at its end.
  void break_off(std::exception_ptr error);
  void raise_broken_off();

 private:
  void receive_in_place(wire::Message& message, const Life& from);
  void enter(wire::Message message, const Life& from);
  void advance();
  void take_in_turn();
  void count_left() noexcept;
  static constexpr std::size_t over = ~(~std::size_t{0} >> 1);

  const std::uint64_t id_;
  const std::string& text_;
  const bool numbered_;
  BiasedLock mutex_;  // of what is below
  InPlaceReceive* receive_ = nullptr;
  std::vector<Arrival> arrivals_;  // those before next_ were taken; its memory is used again and again
  std::size_t next_ = 0;
  std::atomic<std::size_t> left_{0};  // and whether it is over
  std::atomic<std::uint64_t>* shown_ = nullptr;
  Receipts receipts_;
  std::atomic<std::uint64_t> next_number_{1};
  std::map<std::uint64_t, Arrival> early_;  // those before them come another way
  std::optional<std::uint64_t> last_;
  std::exception_ptr broken_;
  bool is_broken_ = false, has_left_ = false;
};

// To a writer, of what was taken; or to the reader, to ask for such a receipt.
void send_receipt(std::uint64_t edge, const std::string& text, const Life& to, const Receipt& receipt);

}  // namespace octavo::detail
