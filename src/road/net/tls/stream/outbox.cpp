// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/outbox.hpp"

#include <linux/sock_diag.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace octavo::road::tls {

namespace {

constexpr std::size_t kernels_own = 2048;  // what it counts besides the bytes of one call, at most

// Of the socket's buffer, by the kernel's own books: what is counted is memory, not bytes sent.
struct SendBuffer {
  std::size_t size = 0, used = 0;
};
SendBuffer send_buffer(int socket) {
  std::array<std::uint32_t, SK_MEMINFO_VARS> info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, SOL_SOCKET, SO_MEMINFO, info.data(), &size) != 0) return {1U << 17, 0};  // then flush() finds out
  return {info[SK_MEMINFO_SNDBUF], info[SK_MEMINFO_WMEM_QUEUED]};
}

}  // namespace

// The kernel says POLLOUT from a third of the buffer on; a link that stops at a quarter is never woken for nothing. Of what is free only half
// is used, as small packets need up to as much memory again as they have bytes.
std::size_t Outbox::room(int socket) {
  if (known_room_ < most_content) {
    auto buffer = send_buffer(socket);
    std::size_t free = buffer.size - std::min(buffer.size, buffer.used);
    known_room_ = free < buffer.size / 4 ? 0 : free / 2;
  }
  return std::min(known_room_, most_batch);
}

bool Outbox::flush(int socket) {
  while (size() != 0 && error_ == 0) {
    const ssize_t n = ::send(socket, bytes_.data() + begin_, size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n < 0) {
      error_ = errno;
      break;
    }
    begin_ += static_cast<std::size_t>(n);
    known_room_ -= std::min(known_room_, static_cast<std::size_t>(n) + kernels_own);
  }
  if (size() != 0) {
    known_room_ = 0;
    return false;
  }
  bytes_.clear();
  begin_ = 0;
  return true;
}

}  // namespace octavo::road::tls
