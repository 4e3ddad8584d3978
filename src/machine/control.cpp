// SPDX-License-Identifier: Apache-2.0
#include "machine/control.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "machine/notice_bytes.hpp"
#include "octavo/base/log.hpp"

namespace octavo::control {

namespace {
constexpr std::size_t most_bytes = 64 << 10, longest_envelope = 8;
constexpr std::size_t most_descriptors = 4;
constexpr auto another_build = "Something else writes to descriptor 3 of an object's process, or its program and its agent are of different builds of Octavo";
}  // namespace

Failed failed(const std::exception& why) {
  if (const auto* known = dynamic_cast<const error*>(&why)) return {0, known->kind(), known->message(), known->cure(), {}};
  return {0, error_kind::io, std::string("an agent could not do it: ") + why.what(), {}, {}};
}

std::uint64_t number_of(const Notice& notice) {
  return visit(
      [](const auto& each) -> std::uint64_t {
        if constexpr (requires { each.request; }) return each.request;
        else return 0;
      },
      notice);
}

Notice numbered(Notice notice, std::uint64_t request) {
  auto number = [&](auto& each) {
    if constexpr (requires { each.request; }) each.request = request;
  };
  std::visit([&](auto& of) { std::visit(number, of); }, notice);
  return notice;
}

namespace {

template <class... Each>
Notice of_service(const Envelope& envelope, std::type_identity<std::variant<Each...>>) {
  Notice notice;
  std::uint16_t place = 0;
  const bool known = ((envelope.of == service{++place} && (notice = notice_of_bytes<Each>(envelope.body, "a notice", another_build), true)) || ...);
  if (!known) unknown_service(envelope.of, "a notice", another_build);
  return notice;
}

}  // namespace

wire::Body encode(const Notice& notice) {
  const service of{static_cast<std::uint16_t>(notice.index() + 1)};
  return std::visit([&](const auto& each) { return sealed(of, bytes_of_notice(each, most_bytes - longest_envelope, "a notice to or from an agent")); }, notice);
}

Notice decode(ByteView datagram) { return of_service(opened(datagram, "a notice", another_build), std::type_identity<Notice>()); }

namespace {

sent send_with(int flags, int socket, ByteView datagram, std::span<const int> descriptors) {
  iovec bytes{const_cast<std::byte*>(datagram.data()), datagram.size()};  // sendmsg does not write to it
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> space{};
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

heard receive_with(int flags, int socket, Received& into) {
  into = {};
  std::array<std::byte, most_bytes> room;  // left uncleared: decode() sees what came, no more
  iovec bytes{room.data(), room.size()};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> space{};
  header.msg_control = space.data();
  header.msg_controllen = space.size();
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags)) < 0 && errno == EINTR) {}
  if (n < 0 && errno == EAGAIN) return heard::nothing;
  if (n < 0 && errno != ECONNRESET) log_line(io_error_from(errno, "listening on a control socket").what());
  if (n < 0 || (n == 0 && is_end(socket))) return heard::end;
  take_descriptors(header, into);
  if ((header.msg_flags & MSG_TRUNC) != 0) throw io_error("a notice is too long: of more than " + std::to_string(most_bytes) + " bytes", another_build);
  into.notice = decode(std::span(room).first(static_cast<std::size_t>(n)));
  return heard::notice;
}

}  // namespace

bool send(int socket, const Notice& notice, std::span<const int> descriptors) { return send_with(0, socket, encode(notice), descriptors) == sent::whole; }
sent send_now(int socket, ByteView datagram, std::span<const int> descriptors) { return send_with(MSG_DONTWAIT, socket, datagram, descriptors); }

std::optional<Received> receive(int socket) {
  Received received;
  return receive_with(0, socket, received) == heard::notice ? std::optional(std::move(received)) : std::nullopt;
}
heard receive_now(int socket, Received& into) { return receive_with(MSG_DONTWAIT, socket, into); }

}  // namespace octavo::control
