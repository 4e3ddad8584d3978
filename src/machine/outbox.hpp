// SPDX-License-Identifier: Apache-2.0
// What an agent says to one of its processes. The agent's thread never waits for a process that does not read (one that is stopped, say): what its
// socket does not take at once is kept, with duplicates of its descriptors, and sent in its order when there is room.
//
// Threading: the agent's. Failure: io_error, where the kernel takes no more descriptors or this process may open none; nothing was said then.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "machine/control.hpp"

namespace octavo {

class Outbox {
 public:
  // False: it is kept, and go_on() is to be called when the socket has room.
  bool say(int socket, const control::Notice& notice, std::span<const int> descriptors);
  // True when nothing is kept any more.
  bool go_on(int socket);

 private:
  struct Unsent {
    wire::Body datagram;
    std::vector<Fd> descriptors;
  };
  std::deque<Unsent> unsent_;
};

}  // namespace octavo
