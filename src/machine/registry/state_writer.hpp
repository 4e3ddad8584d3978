// SPDX-License-Identifier: Apache-2.0
// Writes the state of an object: whole or not at all.
//
//   StateWriter writer(registry.directory(), {.object = id, .generation = 7, .class_name = "PageDevice", .state_version = 2});
//   writer.write(parts);        // a list of ByteViews, in order; as often as needed
//   writer.commit();            // durable; what was current is now the previous state
//
// The current state is whole at every instant: the old one until commit() makes it the new one in one step. A writer that is destroyed without
// commit(), or fails, leaves the old one and nothing else; one that is killed leaves ID.new besides, which the next writer clears away.
// Threading: one thread; any number of processes, of which one at a time writes the state of an object.
// Failure: io_error (no space, disk); refused (another process is saving the object, or has saved this generation or a later one). When
// commit() says that a power failure may still undo it, the new state is current all the same.
#pragma once

#include <span>
#include <string>

#include "machine/registry/state_header.hpp"
#include "machine/registry/state_place.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

class StateWriter {
 public:
  // In `facts`, payload_bytes is counted here, and `saved` is now if it is 0.
  StateWriter(const std::string& directory, StateFacts facts, StateSteps steps = {});
  ~StateWriter();

  void write(std::span<const ByteView> parts);
  const StateFacts& commit();

 private:
  void look_at_current();
  [[nodiscard]] std::string doing() const;

  StatePlace place_;
  StateFacts facts_;
  StateSteps steps_;
  StateLock lock_;
  Fd file_;
  RunningChecksum sum_;
  bool old_damaged_ = false, current_ = false, broken_ = false;
};

}  // namespace octavo
