// SPDX-License-Identifier: Apache-2.0
// Who reads the connections, and who waits for whom: the thread that waits reads; what nobody waits for, the progress thread does.
#include <string>

#include "base/delay_point.hpp"
#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

bool Endpoint::incoming() const { return peers_.links().changed(links_version_) || some_link_is_ready() || peers_.links().death_is_due(); }

// Of a few, one branch for all of them: it is guessed wrong when something comes, and that once.
bool Endpoint::some_link_is_ready() const {
  constexpr std::size_t few = 2;
  bool some = false;
  for (std::size_t i = 0; i < links_.size() && (i < few || !some); ++i) some |= links_[i].connection->ready();
  return some;
}

bool Endpoint::wait(const std::function<bool()>& done, road::Deadline deadline) {
  if (role_.is_mine()) return read_until(done, deadline);
  while (!done()) {
    delay_point("wait: not done yet");
    if (try_read()) {
      count_read();
      struct Leave {  // also when what is awaited throws: else nobody could read any more
        Endpoint& here;
        ~Leave() {
          here.stop_reading(false);
          here.wake_waiters();
        }
      } leave{*this};
      return read_until(done, deadline);
    }
    delay_point("wait: somebody else reads");
    std::unique_lock lock(wait_mutex_);
    waiting_.fetch_add(1);
    delay_point("wait: entered among those who wait");
    role_.let_be_seen();
    if (progress_reads_.load()) peers_.bell().ring();  // it gives way to one who waits
    auto ready = [&] { return done() || role_.is_free(); };
    bool in_time = true;
    if (deadline == road::never) changed_.wait(lock, ready);
    else in_time = changed_.wait_until(lock, deadline, ready);
    if (waiting_.fetch_sub(1) > 1) changed_.notify_all();
    if (!in_time) return done();
  }
  return true;
}

void Endpoint::need_progress() {
  if (serving_ != std::thread::id()) return;  // a server's main thread reads all the time
  std::lock_guard lock(progress_mutex_);
  if (!progress_.joinable() && !stopping_.load()) progress_ = std::thread([this] { make_progress(); });
}

// It reads where nobody else has read for a while: whoever calls again and again is not to get the reader's role back from it each time.
void Endpoint::make_progress() {
  constexpr auto a_while = std::chrono::milliseconds(1);
  Use mine(*this);  // what runs here belongs to this endpoint
  for (std::uint64_t seen = 0; !stopping_.load();) {
    const bool at_once = await_progress(a_while);
    if (!at_once && std::exchange(seen, reads_.load()) != seen) continue;
    if (!at_once && !role_.is_free()) {
      await_end_of_reading();
      continue;
    }
    if (stopping_.load() || waiting_.load() != 0 || !try_read()) continue;
    delay_point("progress: has the role");
    progress_reads_.store(true);
    try {
      read_until([this] { return stopping_.load() || waiting_.load() != 0; }, road::never);
    } catch (const std::exception& e) {  // the thread that waits next meets it, too
      log_once(std::string("reading what nobody waits for: ") + e.what());
    }
    delay_point("progress: gives way");
    progress_reads_.store(false);
    role_.leave(false);
    wake_waiters();
  }
}

// True if somebody needs it at once.
bool Endpoint::await_progress(std::chrono::milliseconds time) {
  std::unique_lock lock(wait_mutex_);
  progress_changed_.wait_for(lock, time, [this] { return progress_needed_ || stopping_.load(); });
  return std::exchange(progress_needed_, false);
}

// Of one who reads for long: he sleeps, most likely, and so does this thread.
void Endpoint::await_end_of_reading() {
  std::unique_lock lock(wait_mutex_);
  progress_waits_.store(true);  // first: see stop_reading
  delay_point("progress: waits for the reader to leave");
  role_.let_be_seen();
  progress_changed_.wait(lock, [this] { return progress_needed_ || stopping_.load() || role_.is_free(); });
  progress_waits_.store(false);
}

// Two who try at once may both fail, and nobody have the role: who waits for that looks again.
bool Endpoint::try_read() noexcept {
  if (role_.try_take()) return true;
  delay_point("reader: did not get the role");
  if (!role_.is_free()) return false;
  if (waiting_.load() != 0) wake_waiters();
  tell_progress();
  return false;
}

void Endpoint::stop_reading(bool briefly) noexcept {
  delay_point("reader: about to leave");
  role_.leave(briefly);
  delay_point("reader: has left");
  tell_progress();
}

void Endpoint::tell_progress() noexcept {
  if (!progress_waits_.load()) return;
  { std::lock_guard lock(wait_mutex_); }
  progress_changed_.notify_all();
}

void Endpoint::nudge_progress() noexcept {
  {
    std::lock_guard lock(wait_mutex_);
    progress_needed_ = true;
  }
  progress_changed_.notify_all();
}

void Endpoint::wake_waiters() noexcept {
  delay_point("wake: about to look for those who wait");
  if (waiting_.fetch_add(0) != 0) {  // a read-modify-write: after what we did, before we look
    { std::lock_guard lock(wait_mutex_); }
    changed_.notify_all();
  }
  // Who is about to read looks at what it waits for once it has entered itself there.
  delay_point("wake: about to ring the reader");
  if (role_.may_be_anothers()) peers_.bell().ring();
}

bool Endpoint::read_until(const std::function<bool()>& done, road::Deadline deadline) {
  struct Depth {
    unsigned& of;
    ~Depth() { --of; }
  } deeper{++depth_};
  for (;;) {
    if (done()) return true;
    pump();
    if (runs_methods()) run_callbacks();
    if (may_resume()) executor_->run_one(runs_methods() ? root_ : Executor::any_root);
    if (done()) return true;
    road::Deadline look = runs_methods() ? look_for_cycle(deadline) : deadline;
    delay_point("reader: nothing to do");
    bool more = peers_.bell().wait([&] { return done() || incoming() || may_resume(); }, look);
    if (!more && look == deadline) return done();
  }
}

}  // namespace octavo::detail
