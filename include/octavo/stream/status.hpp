// SPDX-License-Identifier: Apache-2.0
// The streams that run now in the programs of this user on this machine: what each stage has done, and for what it waits. What `octavo ps` shows.
//
//   for (const auto& stream : octavo::all_streams())
//     for (const auto& stage : stream.stages)
//       std::cout << stream.pid << " " << stage.name << ": " << stage.taken << " taken, " << stage.waiting_for_room << " workers wait for room\n";
//
// ST-13  A stream is seen from its begin to its end, also in a process that hangs or was stopped, and no longer than that process lives; with the figures of
//        its report, as they are then. A worker that waits for input or for room is seen to do so. Inlined ones are not seen.
// Nobody is asked: it is read from shared memory, which they write as they work. What is told of a moment may be over when it is read, and figures may be of
// moments some items apart. It asks for no Runtime. Threading: any. Failure: io_error where /proc cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octavo/machine/address.hpp"
#include "octavo/stream/report.hpp"

namespace octavo {

struct StageStatus : StageReport {
  std::size_t workers = 1;
  std::size_t waiting_for_input = 0, waiting_for_room = 0;  // so many of them, now
  double waits_seconds = 0;                                 // the one that has waited longest, for as long
};

struct StreamStatus {
  std::int64_t pid = 0;         // of the process that it runs in
  Address address = {};         // the object whose method runs it, or the program; none: a process without a Runtime
  std::string class_name = {};  // of that
  std::int64_t agent_pid = 0;   // the program's that it belongs to, or the daemon's
  double started = 0;           // seconds since 1970
  std::uint64_t came = 0;       // from the source
  std::uint64_t delivered = 0;  // to the sink, or to the thread that reads the stream
  std::vector<StageStatus> stages = {};
};

// By process, then as they began.
std::vector<StreamStatus> all_streams();

}  // namespace octavo
