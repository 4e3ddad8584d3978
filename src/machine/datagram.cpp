// SPDX-License-Identifier: Apache-2.0
#include "machine/datagram.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/passed_descriptors.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::datagram {

namespace {

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
  PassedDescriptors beside;
  beside.attach(message, descriptors);
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
  PassedDescriptors beside;
  beside.expect(header);
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR) {}
  if (n < 0 && errno == EAGAIN) return heard::nothing;
  if (n < 0 && errno != ECONNRESET) log_line(io_error_from(errno, "listening on a control socket").what());
  if (n < 0 || (n == 0 && is_end(socket))) return heard::end;
  into.descriptors = PassedDescriptors::take(header);
  into.lost_descriptors = PassedDescriptors::some_were_lost(header);
  into.bytes = static_cast<std::size_t>(n);
  into.cut = (header.msg_flags & MSG_TRUNC) != 0;
  return heard::message;
}

}  // namespace octavo::datagram
