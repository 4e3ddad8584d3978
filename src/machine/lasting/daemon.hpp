// SPDX-License-Identifier: Apache-2.0
// The lasting agent of a machine: a daemon that is started when the first object with a name is made or opened, and keeps them all.
//
// It listens on `home`/agent.sock; only its owner can change the directory, or read the files that are made there (0600), and both sides check that the other
// is the same user. One for each home: whichever holds the lock on `home`/agent.lock. It ends when nobody has spoken with it for a while, saving its objects
// first.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include "octavo/base/fd.hpp"
#include "octavo/road/link.hpp"

namespace octavo::daemon {

// For the objects of one that ends to save themselves; then it ends without.
inline constexpr std::chrono::seconds patience{30};

// $OCTAVO_HOME, else octavo/ in $XDG_STATE_HOME or ~/.local/state.
std::string default_home();

// A link to the lasting agent of this home and machine, which is started if there is none; if one is ending, when it has.
// Throws io_error, refused (the directory is another's), timed_out, gone_error (told to stop).
std::unique_ptr<road::Link> reach(const std::string& home, const std::string& machine, const std::stop_token& stop);

// One listens in this home, begins to, or has not ended yet.
bool is_there(const std::string& home);

// Ends the lasting agent of this home in order, if it began in this process's job of Slurm, which ends: it would be killed with it. Nothing where there is
// none.
void end_with_job(const std::string& home) noexcept;

// Before looking again for what cannot be waited for: an agent that is about to listen, or ends.
void pause(const std::stop_token& stop);

// In the process that is to be it: takes the lock and listens. Nothing if another one has the lock.
struct Seat {
  Fd lock, listening;
};
bool take_seat(const std::string& home, Seat& seat);
// A connection that came; nothing if it is gone or another user's.
std::unique_ptr<road::Link> accept_from(const Fd& listening);

}  // namespace octavo::daemon
