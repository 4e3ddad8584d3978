// SPDX-License-Identifier: Apache-2.0
// What the agents that a command starts are told by its standard input, once each has said that it is one (hail.hpp): the cluster's key, then whom to call,
// and as what. One invitation is for all agents of the command, which each find their own part in it. Words follow: which of them is to begin, and at the end
// of the Runtime one more byte: the end of the link tells the rest. An input that ends without it is the end of the program, or the command.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/machine/engine.hpp"
#include "octavo/road/steady_link.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::engine {

inline constexpr std::uint32_t invitation_version = 3;

struct Invited {
  std::string machine;
  std::array<std::byte, 16> session{};
};

struct Invitation {
  std::uint32_t version = invitation_version;
  std::string where;  // whom to call: "tls://10.0.0.1:4711" (road/net/kinds/link_kinds.hpp)
  std::vector<Invited> agents;
  std::int64_t silence_ms = 0, patience_ms = 0;  // patience: for its first call
  std::int64_t pool_bytes = 0, ring_bytes = 0;
};

// The words: `begins`, and the index of the agent that is to call; `ends_in_order`.
inline constexpr char begins = 'b', ends_in_order = '.';
std::string begin_word(std::uint32_t index);
struct Word {
  char what = 0;  // 0: the input has ended
  std::uint32_t index = 0;
};
Word read_word(int from);

// Throws io_error; of read() also refused, at what is no invitation. read() has passed the program's question.
void write(int to, const road::ClusterKey& key, const Invitation& invitation);
Invitation read(int from, road::ClusterKey& key);
// What follows the key, but for its size. Throws refused for another version, io_error for what is no invitation.
Invitation decode(ByteView bytes);

// The links that a firewall does not hinder, for messages.
inline constexpr std::string_view ports_are_not_needed = "link=\"ssh\", or link=\"files:DIRECTORY\" where both mount one";

// When a carrier counts as broken, if nothing is heard for `silence` until all is lost: so that another can be tried twice.
std::chrono::milliseconds carrier_silence(std::chrono::milliseconds silence);

}  // namespace octavo::engine
