// SPDX-License-Identifier: Apache-2.0
// What the processes of this machine are doing: of all programs of this user, the running, the hung and the stopped. What `octavo ps` shows.
//
//   for (const auto& each : octavo::all_processes())
//     if (each.state == octavo::process_state::running && each.method_seconds > 60)
//       std::cout << each.facts.class_name << " has been in " << each.method << " for " << each.method_seconds << " s\n";
//
// It is read from shared memory that they write as they work, so nobody is asked, and one that does not answer is seen as well. It asks for no
// Runtime. What is told of a moment may be over when it is read. Threading: any. Failure: io_error where /proc cannot be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/machine/address.hpp"
#include "octavo/road/choose.hpp"

namespace octavo {

enum class agent_kind : std::uint8_t {
  program,  // inside a program
  machine,  // of another machine of a program, played on this host
  lasting   // the daemon that keeps objects with names
};
enum class process_state : std::uint8_t {
  idle,       // waits to be called
  running,    // in a method; a program, in what is its own
  waiting,    // for the answer to a call
  suspended,  // no method runs, but some that have begun are not answered yet: coroutines that wait, and futures
  stopped,    // by a signal or a debugger: does not go on by itself
  ended       // and its agent has not yet noticed: that one does not answer
};
std::string_view to_string(agent_kind kind) noexcept;
std::string_view to_string(process_state state) noexcept;

struct ProcessStatus {
  ProcessFacts facts;  // object 0: an agent that is a process of its own
  std::string name;    // "ov://..." of one that has a name
  agent_kind agent = agent_kind::program;
  std::int64_t agent_pid = 0;  // the program's, or the daemon's
  bool on_thread = false;      // of the process that it shares with others
  process_state state = process_state::idle;
  std::uint64_t calls_done = 0;
  std::uint64_t calls_waiting = 0;                   // sent and not begun; of calls from other agents those that have been read
  std::uint64_t calls_owed = 0;                      // begun, and to be answered later
  std::uint64_t bytes_received = 0, bytes_sent = 0;  // in frames; pages are not in them
  std::int64_t memory_bytes = 0;                     // resident, of the whole process
  std::string method;                                // that runs, or waits; empty: none
  double method_seconds = 0;                         // for so long
  Address waits_for;                                 // the object that is to answer it, or a thread beside it
  std::string waits_in;                              // the method that was called there; empty: none that is known
  double waits_seconds = 0;
  std::map<std::uint64_t, std::uint64_t> unread{};  // messages, by the number of each mailbox of the home that it reads (home_mailboxes.hpp)
};

// Ordered by agent, then as they were made.
std::vector<ProcessStatus> all_processes();

// A connection between two objects. It lasts from their first call to the end of one of them.
struct RoadStatus {
  Address first, second;
  road::road_kind road = road::road_kind::shm;  // road::reason_for says why
};
std::vector<RoadStatus> all_roads();

// Sends a signal to the process of `who`, if it still is that object's. Throws usage_error for an object on a thread, gone_error, refused.
void send_signal(const ProcessStatus& who, int signal);

}  // namespace octavo
