// SPDX-License-Identifier: Apache-2.0
// One message over a SEQPACKET socket of this machine, with descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::datagram {

struct Received {
  std::size_t bytes = 0;
  bool cut = false;  // it was longer than the room
  std::vector<Fd> descriptors;
  bool lost_descriptors = false;  // some did not come: this process has as many open as it may
};
enum class sent : std::uint8_t { whole, full, gone };
enum class heard : std::uint8_t { message, nothing, end };

// `flags`: MSG_DONTWAIT or 0. Throws io_error.
sent send(int flags, int socket, ByteView bytes, std::span<const int> descriptors);
// Into the first bytes of `room`.
heard receive(int flags, int socket, ByteSpan room, Received& into);

}  // namespace octavo::datagram
