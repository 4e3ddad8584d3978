// SPDX-License-Identifier: Apache-2.0
// The threads that wait at one endpoint: one of them reads the connections, the others sleep until what they wait for is done, or the role of the reader is
// free for them. A watcher (polling/progress_thread.hpp) reads when none of them does.
//
// Where an object is served, the thread of its methods reads. It lends the role while a method runs, which may wait outside of Octavo for a thread that waits
// here: that one reads when the same method has run for a moment, and gives the role back when it is wanted.
//
// Contract: `done` that is made true before wake() ends each wait for it. A thread that wants the role gets it when it is free.
// Threading: any; await_need() and await_end_of_reading() by the watcher only.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "octavo/base/no_copy.hpp"
#include "octavo/road/doorbell.hpp"
#include "process/polling/reader_role.hpp"

namespace octavo::detail {

class Waiters {
 public:
  // `bell`: that the reader sleeps at.
  explicit Waiters(const road::Doorbell& bell) : bell_(bell) {}

  // True when `done`, false at the deadline. The reader runs `read`, and has its result. Throws what `read` throws.
  template <class Read>
  bool wait(const std::function<bool()>& done, road::Deadline deadline, const Read& read) {
    if (role_.is_mine()) return read();
    const turn mine = await_turn(done, deadline);
    if (mine != turn::reads) return mine == turn::is_done || done();
    struct Leave {  // also when what is awaited throws: else no thread could read any more
      Waiters& here;
      ~Leave() {
        here.stop_reading(false);
        here.wake();
      }
    } leave{*this};
    return read();
  }
  void wake() noexcept;  // after something was done: the threads that wait look again
  void wake_if_any_waits() noexcept {
    if (waiting_.load() != 0) wake();
  }
  [[nodiscard]] bool any_waits() const noexcept { return waiting_.load() != 0; }

  // The role of the reader.
  [[nodiscard]] bool is_reader() const noexcept { return role_.is_mine(); }
  [[nodiscard]] bool nobody_reads() const noexcept { return role_.is_free(); }
  bool try_read() noexcept;
  // `briefly`: it was taken for a moment.
  void stop_reading(bool briefly) noexcept;
  // No thread begins to read any more, and whoever does leaves in a moment.
  void await_end_of_last_reader() const noexcept;
  // The calling thread has begun to read, or tries to; the watcher then gives it time.
  void count_read() noexcept { reads_.store(reads_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t reads() const noexcept { return reads_.load(std::memory_order_relaxed); }  // about

  // --- where an object is served: by the thread of its methods, which has the role ---
  void serve_here() noexcept;
  [[nodiscard]] bool serves() const noexcept { return server_.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool is_server() const noexcept { return server_.load(std::memory_order_relaxed) == RealSteps::this_thread(); }
  [[nodiscard]] bool may_read() const noexcept { return !serves() || is_server(); }  // for a moment; others by wait_beside()
  // A method begins, or goes on.
  void lend() noexcept {
    count_read();
    stop_reading(true);
  }
  void take_back() noexcept {
    if (!role_.try_take()) take_back_from_another();
  }
  // wait() of the other threads.
  struct Beside {
    std::function<bool(const std::function<bool()>& until)> read;  // until this is true; true if it was
    std::function<void()> then = [] {};                            // when it has read, without the role
  };
  bool wait_beside(const std::function<bool()>& done, road::Deadline deadline, const Beside& act);

  // --- the watcher's ---
  // True if it was asked to read at once; else that much time has passed.
  bool await_need(std::chrono::milliseconds time);
  // Of a reader that reads for long. Returns also when it is asked to read, or to end.
  void await_end_of_reading();
  // Reads until another thread waits, or the watcher is to end.
  void read_for_nobody(const std::function<void(const std::function<bool()>& give_way)>& read);
  // The watcher is to read at once, as a coroutine may go on.
  void ask_watcher() noexcept;
  void end_watcher() noexcept;
  [[nodiscard]] bool watcher_ends() const noexcept { return watcher_ends_.load(); }

 private:
  enum class turn : std::uint8_t { reads, is_done, is_late };
  turn await_turn(const std::function<bool()>& done, road::Deadline deadline);
  turn await_loan(const std::function<bool()>& done, road::Deadline deadline);
  void take_back_from_another() noexcept;
  void tell_watcher() noexcept;
  void tell_of_loan() noexcept;

  const road::Doorbell bell_;
  ReaderRole role_;
  std::mutex mutex_;
  std::condition_variable changed_, for_watcher_;
  std::atomic<int> waiting_{0};
  std::atomic<std::uint64_t> reads_{0};
  bool watcher_needed_ = true;  // at its beginning
  std::atomic<bool> watcher_reads_{false}, watcher_waits_{false}, watcher_ends_{false};
  std::atomic<bias::Thread> server_{0};  // the thread of methods; 0: none is served here
  std::atomic<bool> loan_awaited_{false}, wanted_back_{false};
  std::uint64_t last_loan_ = UINT64_MAX;  // reads() when the role was taken from the server last
};

// The thread of methods has lent the role, and reads while this lives.
class ReadingAgain : NoCopy {
 public:
  explicit ReadingAgain(Waiters& waiters) noexcept : waiters_(waiters) { waiters.take_back(); }
  ~ReadingAgain() { waiters_.lend(); }

 private:
  Waiters& waiters_;
};

// The calling thread reads while this lives, if no other thread does. Where an object is served, only the thread of its methods.
class BriefReading : NoCopy {
 public:
  // A thread that only sends does not count as one that reads: while it goes on with that, the watcher is to read.
  enum class purpose : std::uint8_t { to_read, to_send };
  explicit BriefReading(Waiters& waiters, purpose what = purpose::to_read) : waiters_(waiters), was_(waiters.is_reader()) {
    if (!was_ && what == purpose::to_read && !waiters.serves()) waiters.count_read();  // a server counts what it lends
    mine_ = was_ || waiters.try_read();
  }
  ~BriefReading() {
    if (!mine_ || was_) return;
    waiters_.stop_reading(true);
    if (!waiters_.serves()) waiters_.wake_if_any_waits();
  }
  explicit operator bool() const noexcept { return mine_; }

 private:
  Waiters& waiters_;
  const bool was_;
  bool mine_ = false;
};

}  // namespace octavo::detail
