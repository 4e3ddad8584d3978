// SPDX-License-Identifier: Apache-2.0
// Writing the status board: an agent enters its processes, each process says what it does. Found and read by all_processes() (status.hpp).
//
//   Fd memory = StatusBoard::make(agent_kind::program, facts_of_agent);   // the agent's; as long as it is open the board can be found
//   StatusBoard board(memory);
//   board.enter(slot, facts, host, "data/x");     board.leave(slot);
//
//   OwnRow row(board, slot);                                              // the process's
//   OwnRow::Method runs(row, method, "Counter::add(int)");                // until it goes
//   OwnRow::Wait waits(row, false, {address, call, "Gate::pass()"}, now); // until it goes
//
// Cost: a few stores for each call, none of them waited for. Threading: enter and leave by the agent's thread; Method by the thread of methods,
// received by the one that reads; the rest by any. Failure: io_error where there is no memory.
#pragma once

#include <atomic>
#include <chrono>
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

 private:
  board::Board* board_;
  std::size_t roads_ = 0;  // places that were ever used
};

class OwnRow {
  struct Place;

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

  // A mailbox of the home is read here. Gives where the number of its unread messages is shown; null: the row has no room for more. By any.
  board::Word* show_mailbox(std::string_view name) noexcept;
  void hide_mailbox(std::string_view name) noexcept;

  // A method runs. By any thread.
  [[nodiscard]] bool runs_method() const noexcept { return row_.running.load(std::memory_order_relaxed) != 0; }

  class Wait;

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
    const Wait* waits_before_ = nullptr;
  };
  // The one that runs is to be shown as another, of which `text` lives as long: what a binding's one method calls in its language.
  void name_running(const void* what, std::string_view text) noexcept;
  struct Awaited {
    Address of;
    std::uint64_t call = 0;   // its number; 0: it is no call
    std::string_view method;  // lives as long as the wait
  };
  // A thread waits for an answer: that of an object's methods, or `beside` it one of the object's own. Of several that do so at once at one of
  // the two places only the first is shown. `since`: of a call that was the last one to be shown there it is the time of then.
  class Wait {
   public:
    Wait(OwnRow& row, bool beside, const Awaited& what, std::chrono::steady_clock::time_point since) noexcept;
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    friend class Method;
    void show() const noexcept;
    Place& place_;
    const Awaited what_;
    std::uint64_t since_;
    const bool mine_;
  };
  // A wait for this call was the last to be shown there: one that goes on, after its thread has looked up.
  [[nodiscard]] bool was_shown(bool beside, std::uint64_t call) const noexcept {
    return call != 0 && (beside ? beside_ : waits_).call.load(std::memory_order_relaxed) == call;
  }

 private:
  // Where there is one writer.
  static void add(board::Word& word, std::uint64_t n) noexcept { word.store(word.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  static void add_one(board::Word& word) noexcept { add(word, 1); }
  struct Place {
    explicit Place(board::Waiting& shown) noexcept : words(shown) {}
    board::Waiting& words;
    std::atomic<bool> taken{false};
    const Wait* by = nullptr;            // that has taken it
    std::atomic<std::uint64_t> call{0};  // the last that was shown there
    std::uint64_t since = 0;             // with this
  };
  void show_method(const void* what, std::string_view text, std::uint64_t since) noexcept;

  board::Row& row_;
  const void* shown_ = nullptr;    // whose text is in the row
  const void* running_ = nullptr;  // the innermost
  std::string_view text_;
  Place waits_{row_.waits}, beside_{row_.beside};
};

}  // namespace octavo
