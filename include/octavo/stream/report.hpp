// SPDX-License-Identifier: Apache-2.0
// What became of a stream, stage by stage; the source and the sink are not among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo {

struct StageReport {
  std::string name = {}, place = {};
  std::uint64_t taken = 0, given = 0;
  std::uint64_t left = 0;                                      // what came, and was not taken when the stream ended
  double busy = 0, waited_for_input = 0, waited_for_room = 0;  // seconds, of all workers
};

struct StreamReport {
  std::vector<StageReport> stages = {};
  std::uint64_t delivered = 0;  // to the sink, or to the thread that read the stream
  double seconds = 0;
  // Of the error, if there was one: where it was thrown ("source" and "sink" may be), and at which item, from 0.
  std::string failed_stage = {};
  std::uint64_t failed_item = 0;
};

}  // namespace octavo
