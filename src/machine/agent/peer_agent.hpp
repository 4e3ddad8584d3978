// SPDX-License-Identifier: Apache-2.0
// What an agent keeps of another agent that it has a link with.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "machine/agent/requester.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/talk.hpp"
#include "octavo/road/relay.hpp"

namespace octavo {

struct PeerAgent : std::enable_shared_from_this<PeerAgent> {
  std::uint64_t number = 0;  // of the link
  std::string machine;
  std::uint64_t agent = 0;                 // 0: it has not said Hello yet
  bool lasting = false;                    // it keeps the names of this machine
  bool guest = false;                      // a program's, that came to us, who are a daemon
  bool hub = false;                        // it leads to all others
  std::unique_ptr<road::Relay> relay;      // touched by the agent's thread, and by its own; null: it is lost
  std::map<Address, ProcessFacts> theirs;  // those of its objects that somebody here, or behind us, knows
  std::uint64_t next_request = 1, next_channel = 1;
  // What was asked, and what to do with the answer; told Failed when the peer agent is lost.
  using Then = std::function<void(PeerAgent& by, const control::Notice& answer, std::uint64_t channel)>;
  struct Asked {
    std::shared_ptr<Requester> requester;
    control::Notice wish;
    std::uint64_t channel = 0;
    Then then;
  };
  std::map<std::uint64_t, Asked> asked;

  void tell(const talk::Notice& notice) const;
  [[nodiscard]] agent::Listener listener() const { return agent::Listener::agent(number); }
};

}  // namespace octavo
