// SPDX-License-Identifier: Apache-2.0
// What an agent that a command starts is told by its standard input, once it has said that it is one (hail.hpp): the cluster's key, then whom to call, and
// as what. At the end of the Runtime one more byte: the end of the link tells the rest. An input that ends without it is the end of the program, or the
// command.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "octavo/machine/engine.hpp"
#include "octavo/road/steady_link.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::engine {

inline constexpr std::uint32_t invitation_version = 2;

struct Invitation {
  std::uint32_t version = invitation_version;
  std::string machine, address;
  std::uint16_t port = 0;
  std::array<std::byte, 16> session{};
  std::int64_t silence_ms = 0, patience_ms = 0;  // patience: for its first call
  std::int64_t pool_bytes = 0, ring_bytes = 0;
};

inline constexpr char ends_in_order = '.';

// Throws io_error; of read() also refused, at what is no invitation. read() has passed the program's question.
void write(int to, const road::ClusterKey& key, const Invitation& invitation);
Invitation read(int from, road::ClusterKey& key);
// What follows the key, but for its size. Throws refused for another version, io_error for what is no invitation.
Invitation decode(ByteView bytes);

// When a carrier counts as broken, if nothing is heard for `silence` until all is lost: so that another can be tried twice.
std::chrono::milliseconds carrier_silence(std::chrono::milliseconds silence);

}  // namespace octavo::engine
