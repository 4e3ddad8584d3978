// SPDX-License-Identifier: Apache-2.0
// Writing the status board: an agent enters its processes, each process says what it does. Found and read by all_processes() (status.hpp).
//
//   Fd memory = StatusBoard::make(agent_kind::program, facts_of_agent);   // the agent's; as long as it is open the board can be found
//   StatusBoard board(memory);
//   board.enter(slot, facts, host, "data/x");     board.leave(slot);
//
//   OwnRow row(board, slot);                                              // the process's
//   OwnRow::Method runs(row, method, "Counter::add(int)");                // until it goes
//
// Cost: a few stores for each call, none of them waited for. Threading: enter and leave by the agent's thread; Method and Wait by one thread at a
// time, received by the one that reads; the rest by any. Failure: io_error where there is no memory.
#pragma once

#include <array>
#include <atomic>
#include <string_view>

#include "machine/board/layout.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/road/choose.hpp"

namespace octavo {

class StatusBoard {
 public:
  // Its size is sealed: what a reader has mapped stays there.
  static Fd make(agent_kind kind, const ProcessFacts& agent);
  explicit StatusBoard(const Fd& memory);
  ~StatusBoard();
  StatusBoard(const StatusBoard&) = delete;
  StatusBoard& operator=(const StatusBoard&) = delete;

  // `host`: the object on whose process's thread it lives; 0: none.
  void enter(unsigned slot, const ProcessFacts& who, std::uint64_t host, std::string_view name);
  void leave(unsigned slot);
  // The agent's: its object is connected with another. All roads of one that has died go with it.
  void enter_road(std::uint64_t object, const Address& other, road::road_kind kind);
  void leave_roads(const Address& who);
  // A call was sent to the object of this slot.
  void count_call_to(unsigned slot, int change = 1) noexcept {
    if (slot < board_->rows.size())
      board_->rows[slot].arrived.fetch_add(static_cast<std::uint64_t>(static_cast<std::int64_t>(change)), std::memory_order_relaxed);
  }
  [[nodiscard]] board::Row& row(unsigned slot) const;
  [[nodiscard]] const board::Board& all() const noexcept { return *board_; }

 private:
  board::Board* board_;
  std::size_t roads_ = 0;  // places that were ever used
};

class OwnRow {
 public:
  OwnRow(const StatusBoard& board, unsigned slot) : row_(board.row(slot)) {}

  void received(std::size_t bytes) noexcept { add(row_.received, bytes); }
  // sent(): by the thread that reads; sent_aside(): by any other. An atomic addition would wait until the frame has left the core.
  void sent(std::size_t bytes) noexcept { add(row_.sent, bytes); }
  void sent_aside(std::size_t bytes) noexcept { row_.sent_aside.fetch_add(bytes, std::memory_order_relaxed); }
  // A call came whose sender does not have this board.
  void count_arrival() noexcept { row_.arrived.fetch_add(1, std::memory_order_relaxed); }
  // A call that arrived begins, or ends. By the thread that runs methods.
  void call_begins() noexcept { add_one(row_.begun); }
  void call_ends() noexcept { add_one(row_.done); }
  // Its method has returned, or waits as a coroutine, and its answer is still to go; -1: it went. By any.
  void owes(int change) noexcept { row_.owed.fetch_add(static_cast<std::uint64_t>(static_cast<std::int64_t>(change)), std::memory_order_relaxed); }

  // The thread that runs its methods, once.
  void serves_here() noexcept;
  // The watch thread, once a round.
  void show_still(std::uint64_t rounds) noexcept;
  // A method runs that does not wait for an answer for good. By any thread.
  [[nodiscard]] bool computes() const noexcept;
  // What changes when its process does something: any of these.
  [[nodiscard]] std::array<std::uint64_t, 5> activity() const noexcept;

  // A method runs. `what` tells it from others: the text is copied when that differs from the last one's.
  class Method {
   public:
    Method(OwnRow& row, const void* what, std::string_view text) noexcept;
    ~Method();
    Method(const Method&) = delete;
    Method& operator=(const Method&) = delete;

   private:
    OwnRow& row_;
    const void* before_;  // of the method that waits while this one runs; null: none does
    std::string_view text_before_;
    std::uint64_t since_before_ = 0;
    Address waited_for_;
    std::uint64_t waited_since_ = 0;
    bool waited_for_good_ = false;
  };
  // It waits for the answer of `whom`; for good: without a deadline. Of several threads that do so at once only the first is shown.
  class Wait {
   public:
    Wait(OwnRow& row, const Address& whom, bool for_good) noexcept;
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    OwnRow& row_;
    bool mine_;
  };

 private:
  // Where there is one writer.
  static void add(board::Word& word, std::uint64_t n) noexcept { word.store(word.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  static void add_one(board::Word& word) noexcept { add(word, 1); }
  void show_method(const void* what, std::string_view text, std::uint64_t since) noexcept;
  void show_wait(const Address& whom, std::uint64_t since, bool for_good) noexcept;

  board::Row& row_;
  const void* shown_ = nullptr;    // whose text is in the row
  const void* running_ = nullptr;  // the innermost
  std::string_view text_;
  std::atomic<bool> waits_{false};  // a thread waits, and is shown
};

}  // namespace octavo
