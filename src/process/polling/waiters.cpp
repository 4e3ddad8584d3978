// SPDX-License-Identifier: Apache-2.0
#include "process/polling/waiters.hpp"

#include <sched.h>

#include "base/delay_point.hpp"

namespace octavo::detail {

// Until this thread reads, or what it waits for is done.
Waiters::turn Waiters::await_turn(const std::function<bool()>& done, road::Deadline deadline) {
  while (!done()) {
    delay_point("wait: not done yet");
    if (try_read()) {
      count_read();
      return turn::reads;
    }
    delay_point("wait: somebody else reads");
    std::unique_lock lock(mutex_);
    waiting_.fetch_add(1);
    delay_point("wait: entered among those who wait");
    role_.let_be_seen();
    if (watcher_reads_.load()) bell_.ring();  // it gives way
    auto ready = [&] { return done() || role_.is_free(); };
    bool in_time = true;
    if (deadline == road::never) changed_.wait(lock, ready);
    else in_time = changed_.wait_until(lock, deadline, ready);
    if (waiting_.fetch_sub(1) > 1) changed_.notify_all();
    if (!in_time) return turn::is_late;
  }
  return turn::is_done;
}

void Waiters::wake() noexcept {
  delay_point("wake: about to look for those who wait");
  if (waiting_.fetch_add(0) != 0) {  // a read-modify-write: after what the caller did, before it looks
    { std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }
  // A thread that is about to read looks at what it waits for once it has the role.
  delay_point("wake: about to ring the reader");
  if (role_.may_be_anothers()) bell_.ring();
}

// Two threads that try at once can both fail, and leave the role free: then those that wait for it try again.
bool Waiters::try_read() noexcept {
  if (!may_read()) return false;
  if (role_.try_take()) return true;
  delay_point("reader: did not get the role");
  if (!role_.is_free()) return false;
  wake_if_any_waits();
  tell_watcher();
  return false;
}

void Waiters::stop_reading(bool briefly) noexcept {
  delay_point("reader: about to leave");
  role_.leave(briefly);
  delay_point("reader: has left");
  tell_watcher();
  if (loan_awaited_.load()) tell_of_loan();
}

void Waiters::await_end_of_last_reader() const noexcept {
  role_.let_be_seen();
  while (!role_.is_free() && !role_.is_mine()) ::sched_yield();
}

// --- where an object is served ---

void Waiters::serve_here() noexcept {
  (void)role_.try_take();  // no other thread was here yet
  server_.store(RealSteps::this_thread());
}

bool Waiters::wait_beside(const std::function<bool()>& done, road::Deadline deadline, const Beside& act) {
  struct Leave {  // also when what is awaited throws
    Waiters& here;
    ~Leave() {
      here.role_.leave(false);
      here.wake();
    }
  };
  const std::function<bool()> until = [&] { return done() || wanted_back_.load(); };
  for (;;) {
    const turn mine = await_loan(done, deadline);
    if (mine != turn::reads) return mine == turn::is_done || done();
    bool in_time = false;
    {
      const Leave leave{*this};
      delay_point("wait beside: reads");
      in_time = act.read(until);
    }
    act.then();
    if (!in_time || done()) return done();
  }
}

// Methods that come and go are not disturbed: their thread reads between them.
Waiters::turn Waiters::await_loan(const std::function<bool()>& done, road::Deadline deadline) {
  constexpr auto a_moment = std::chrono::microseconds(200);
  struct Among {
    std::atomic<int>& those_who_wait;
    ~Among() { those_who_wait.fetch_sub(1); }
  };
  std::unique_lock lock(mutex_);
  waiting_.fetch_add(1);
  const Among among{waiting_};
  auto is_lent = [this] { return role_.is_free() && !wanted_back_.load(); };
  auto ready = [&] {  // each time: whoever told of a loan may have taken it back by now
    loan_awaited_.store(true);
    role_.let_be_seen();
    delay_point("wait beside: awaits a loan");
    return done() || is_lent();
  };
  while (!done()) {
    if (deadline == road::never) changed_.wait(lock, ready);
    else if (!changed_.wait_until(lock, deadline, ready)) return turn::is_late;
    const auto loan = reads();
    if (loan != last_loan_) {
      const auto until = std::min(deadline, road::Clock::now() + a_moment);
      if (changed_.wait_until(lock, until, [&] { return done() || !is_lent() || reads() != loan; })) continue;
    }
    if (done()) break;
    if (!is_lent() || !role_.try_take()) continue;
    last_loan_ = loan;
    return turn::reads;
  }
  return turn::is_done;
}

void Waiters::take_back_from_another() noexcept {
  std::unique_lock lock(mutex_);
  wanted_back_.store(true);
  waiting_.fetch_add(1);
  while (!role_.try_take()) {
    delay_point("server: wants the role back");
    role_.let_be_seen();
    bell_.ring();
    changed_.wait(lock, [this] { return role_.is_free(); });
  }
  waiting_.fetch_sub(1);
  wanted_back_.store(false);
}

void Waiters::tell_of_loan() noexcept {
  {
    std::lock_guard lock(mutex_);
    loan_awaited_.store(false);
  }
  changed_.notify_all();
}

// --- the watcher ---

bool Waiters::await_need(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  for_watcher_.wait_for(lock, time, [this] { return watcher_needed_ || watcher_ends_.load(); });
  return std::exchange(watcher_needed_, false);
}

void Waiters::await_end_of_reading() {
  std::unique_lock lock(mutex_);
  watcher_waits_.store(true);  // before it looks whether the role is free: the reader looks at this when it has left
  delay_point("progress: waits for the reader to leave");
  role_.let_be_seen();
  for_watcher_.wait(lock, [this] { return watcher_needed_ || watcher_ends_.load() || role_.is_free(); });
  watcher_waits_.store(false);
}

void Waiters::read_for_nobody(const std::function<void(const std::function<bool()>& give_way)>& read) {
  auto give_way = [this] { return watcher_ends_.load() || waiting_.load() != 0; };
  if (give_way() || !try_read()) return;
  struct Leave {
    Waiters& here;
    ~Leave() {
      delay_point("progress: gives way");
      here.watcher_reads_.store(false);
      here.role_.leave(false);
      here.wake();
    }
  } leave{*this};
  delay_point("progress: has the role");
  watcher_reads_.store(true);
  read(give_way);
}

void Waiters::tell_watcher() noexcept {
  if (!watcher_waits_.load()) return;
  { std::lock_guard lock(mutex_); }
  for_watcher_.notify_all();
}

void Waiters::ask_watcher() noexcept {
  {
    std::lock_guard lock(mutex_);
    watcher_needed_ = true;
  }
  for_watcher_.notify_all();
}

void Waiters::end_watcher() noexcept {
  watcher_ends_.store(true);
  wake();
  ask_watcher();
}

}  // namespace octavo::detail
