// SPDX-License-Identifier: Apache-2.0
#include "machine/datagram.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::datagram {

namespace {

using Space = std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))>;

void take_descriptors(msghdr& header, Received& into) {
  for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr; head = CMSG_NXTHDR(&header, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      into.descriptors.emplace_back(number);
    }
  }
  into.lost_descriptors = (header.msg_flags & MSG_CTRUNC) != 0;
}

// An empty datagram looks like the end of the stream.
bool is_end(int socket) {
  pollfd end{socket, POLLRDHUP, 0};
  return ::poll(&end, 1, 0) != 0;
}

}  // namespace

sent send(int flags, int socket, ByteView bytes, std::span<const int> descriptors) {
  iovec vector{const_cast<std::byte*>(bytes.data()), bytes.size()};  // sendmsg does not write to it
  msghdr message{};
  message.msg_iov = &vector;
  message.msg_iovlen = 1;
  alignas(cmsghdr) Space space{};
  if (!descriptors.empty()) {
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(head), descriptors.data(), descriptors.size_bytes());
  }
  for (;;) {
    if (::sendmsg(socket, &message, MSG_NOSIGNAL | flags) >= 0) return sent::whole;
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return sent::full;
    if (errno == EPIPE || errno == ECONNRESET) return sent::gone;
    throw io_error_from(errno, "talking to an agent");
  }
}

heard receive(int flags, int socket, ByteSpan room, Received& into) {
  into = {};
  iovec vector{room.data(), room.size()};
  msghdr header{};
  header.msg_iov = &vector;
  header.msg_iovlen = 1;
  alignas(cmsghdr) Space space{};
  header.msg_control = space.data();
  header.msg_controllen = space.size();
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR) {}
  if (n < 0 && errno == EAGAIN) return heard::nothing;
  if (n < 0 && errno != ECONNRESET) log_line(io_error_from(errno, "listening on a control socket").what());
  if (n < 0 || (n == 0 && is_end(socket))) return heard::end;
  take_descriptors(header, into);
  into.bytes = static_cast<std::size_t>(n);
  into.cut = (header.msg_flags & MSG_TRUNC) != 0;
  return heard::message;
}

}  // namespace octavo::datagram
