// SPDX-License-Identifier: Apache-2.0
// What bindings to other languages need besides calls: a cancel() that does not wait for long, which their futures are made of; and threads that call where
// they may be surprised by the end of the Runtime, as daemon threads of Python's are; and opening what another command than this program serves;
// and whether this process is a child that a method forked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/no_copy.hpp"
#include "octavo/process/detail/state.hpp"

namespace octavo::detail {

// As cancel(state), which waits until the object looks, but until the deadline at most. False also where the object has not looked by then: the request
// stays, and the state is ready with `cancelled` later if the call has not begun when it looks.
bool cancel_until(StateBase& state, std::chrono::steady_clock::time_point deadline);

// A method awaits this in an event loop of its own, in which its object is not called back: it is read meanwhile, and a call that comes back is found to
// wait for ever (C-3). Until it is ready, or is_left_by_loop(). By the thread of the method.
void is_awaited_by_loop(const std::shared_ptr<StateBase>& state);
void is_left_by_loop(const StateBase& state) noexcept;

// While it lives, the program's Runtime does not go: its end fails what the thread waits for, and waits until the thread is out of here. Under a Runtime of
// its own (`use()`, an object's thread), and in a second Visit of one thread, it does nothing. The wait for a promise has to look for ends() now and then.
class Visit : NoCopy {
 public:
  Visit() noexcept;
  ~Visit();
  [[nodiscard]] bool counts() const noexcept { return counts_; }
  [[nodiscard]] static bool ends() noexcept;  // the Runtime of the program does

 private:
  bool counts_;
  unsigned life_;  // of this process: of one that was forked off meanwhile the visit is not
};

// The method that this thread runs is shown (in `octavo ps`) as the one that it calls in another language. `text` lives as long as its object.
void show_running(std::string_view text) noexcept;

// Why a thread waits in vain whose agent answers no more.
const char* gone_text() noexcept;

// See src/process/forked.hpp: what a method returns where this number is another than its object was made with is no answer to anybody.
unsigned forks() noexcept;

// Whether a process has ended, as its connection shows it now: before that was read, and before the agent tells of it. False also where it cannot be seen: of
// one that this process has no connection with, that is on another machine, or that has a name, and so lives again.
bool is_seen_to_have_ended(const Address& who);

// As open_named(), where an object that is not there now is to be served by this command, if this program knows how its state is read.
Address open_named_by(std::vector<std::string> command, std::string_view machine, std::string_view name);

}  // namespace octavo::detail
