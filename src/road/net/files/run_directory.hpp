// SPDX-License-Identifier: Apache-2.0
// Where the messages of a run lie: a directory of its own within one that its machines mount, named after a number that nobody else has.
//
//   RunDirectory run("/shared/x");             // makes /shared/x/octavo-files-1f0c...; mode 0700
//   run.beat();                                // now and then
//   check_run("/shared/x/octavo-files-1f0c...");   // on another machine
//
// FL-1  The first use looks at the place: a path from the root, a directory, in which a file can be made, renamed and read again, with 64 MiB of room, on a
// file
//       system that answers within 10 s. A process that dials looks whether it is there, its own user's, and closed to others.
// FL-2  Its owner beats as long as it lives. What is left of a run whose owner is known to be dead (a process of this host that has ended; else ten minutes
//       without a beat, by the file system's own clock, and none since another run has doubted it, a minute ago at least) is removed by the next that begins
//       there.
// FL-3  At the end of its owner it is removed; where a process of this host still reads in it, by the last to leave.
// FL-4  A connection is a directory in it (connect()), which the last of its two ends to leave removes. The process that dials puts its name in `calls`, as the
// file with the
//       next number that nobody has.
//
// Threading: one thread at a time. Failure: usage_error, refused, timed_out, io_error, each naming the directory, with the cure.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace octavo::road::files {

inline constexpr auto between_beats = std::chrono::seconds(30);

class RunDirectory {
 public:
  explicit RunDirectory(const std::string& within);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void beat();  // never throws for want of room

 private:
  void write_owner();
  std::string path_;
  bool is_mute_ = false;  // it has been said
  unsigned long beats_ = 0;
};

// FL-1, of the process that dials.
void check_run(const std::string& path);
inline std::string calls_of(const std::string& run) { return run + "/calls"; }
// A new connection, of this process: its directory, with a folder to each side.
std::string connect(const std::string& run);
inline std::string to_owner(const std::string& connection) { return connection + "/o"; }
inline std::string to_dialer(const std::string& connection) { return connection + "/d"; }
// One end has left. `other_is_dead` is asked of the first that does; where it says no, the other may still read, and removes the connection.
void leave(const std::string& connection, const std::function<bool()>& other_is_dead) noexcept;

}  // namespace octavo::road::files
