// SPDX-License-Identifier: Apache-2.0
// What an agent keeps of another agent that it has a link with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "machine/agent/common/requester.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/peers/agent_link.hpp"
#include "machine/agent/peers/talk.hpp"

namespace octavo::agent {

enum class peer_kind : std::uint8_t {
  machine,  // an agent that this one started
  hub,      // the program's: it leads to all others
  daemon,   // the lasting agent of this machine
  guest,    // a program's, that came to this agent, which is a daemon
  sibling   // of another machine of the program, which this one is not the hub of
};

struct PeerAgent : std::enable_shared_from_this<PeerAgent> {
  std::uint64_t number = 0;  // of the link
  peer_kind kind = peer_kind::machine;
  std::string machine;
  std::uint64_t id = 0;             // 0: it has not said Hello yet
  std::int64_t pid = 0;             // of the process that it is in; 0 likewise
  std::unique_ptr<AgentLink> link;  // null: it is lost
  std::string why_lost;
  std::map<Address, ProcessFacts> theirs;  // those of its processes that somebody here, or behind this agent, knows
  // Of a sibling: processes of this agent that are connected with those of its by this link.
  std::multimap<Address, std::uint64_t> talks;
  std::uint64_t next_request = 1, next_channel = 1;
  // How the end of a connection that the other agent has made comes here.
  struct FarEnd {
    std::uint64_t channel = 0;    // of the link
    std::vector<Fd> descriptors;  // or by none: talk::ForwardedReply
  };
  // What was asked, and what to do with the answer; told Failed when the other agent is lost.
  using Then = std::function<void(PeerAgent& by, const control::Notice& answer, FarEnd end)>;
  struct Asked {
    RequesterPtr requester;
    control::Notice request;
    std::uint64_t channel = 0;
    Then then;
  };
  std::map<std::uint64_t, Asked> asked;

  [[nodiscard]] bool is_hub() const noexcept { return kind == peer_kind::hub; }
  [[nodiscard]] bool is_daemon() const noexcept { return kind == peer_kind::daemon; }
  [[nodiscard]] bool is_guest() const noexcept { return kind == peer_kind::guest; }
  [[nodiscard]] bool is_sibling() const noexcept { return kind == peer_kind::sibling; }
  [[nodiscard]] Listener listener() const { return Listener::agent(number); }
  [[nodiscard]] bool was_told_to_end() const {
    return std::any_of(asked.begin(), asked.end(), [](const auto& each) { return control::get_if<control::EndLasting>(&each.second.request) != nullptr; });
  }
  void tell(const talk::Notice& notice, std::span<const int> descriptors = {}) const {
    if (link) link->send(talk::encode(notice), descriptors);
  }
  // Its processes share memory with those of this agent. (A played machine's do not, as on a real one.)
  [[nodiscard]] bool is_on_this_machine() const { return (is_daemon() || is_guest()) && link != nullptr && link->carries_descriptors(); }
};

}  // namespace octavo::agent
