// SPDX-License-Identifier: Apache-2.0
// What tests send over links, and how: bytes that tell their place, and one piece at a time.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/road/link.hpp"

namespace octavo::kit {

// To read, and to write.
inline std::pair<Fd, Fd> pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw io_error_from(errno, "making a pipe");
  return {Fd(ends[0]), Fd(ends[1])};
}

inline std::byte byte_at(std::size_t i) { return static_cast<std::byte>(i * 2654435761U >> 24); }
inline std::vector<std::byte> stream(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = byte_at(i);
  return bytes;
}
inline std::size_t send(road::Link& link, ByteView bytes) { return link.send(std::span(&bytes, 1)); }

// Until trying again pays (L-4).
inline void wait_for(const road::Link& link, bool sending) {
  pollfd poll{link.descriptor(), link.events(sending), 0};
  while (::poll(&poll, 1, -1) < 0 && errno == EINTR) {}
}
// Until so many have come, or the link is lost.
inline std::vector<std::byte> receive(road::Link& link, std::size_t most) {
  std::vector<std::byte> came(most);
  std::size_t n = 0;
  while (n < most && !link.lost()) {
    ByteSpan rest = ByteSpan(came).subspan(n);
    const std::size_t now = link.receive(std::span(&rest, 1));
    n += now;
    if (now < rest.size() && !link.lost()) wait_for(link, false);
  }
  came.resize(n);
  return came;
}

}  // namespace octavo::kit
