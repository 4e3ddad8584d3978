// SPDX-License-Identifier: Apache-2.0
#include "machine/control.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "octavo/base/error.hpp"

namespace octavo::control {

namespace {
constexpr std::size_t most_bytes = 64 << 10;
constexpr std::size_t most_descriptors = 4;
}  // namespace

Failed failed(const error& why) { return {0, why.kind(), why.message(), why.cure(), {}}; }

bool send(int socket, const Notice& notice, std::span<const int> descriptors) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(notice);
  if (!out.bulk.empty() || out.body.size() > most_bytes) throw usage_error("a notice to or from an agent is too long");
  iovec bytes{out.body.data(), out.body.size()};
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
    if (::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return true;
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return false;
    throw io_error_from(errno, "talking to an agent");
  }
}

std::optional<Received> receive(int socket) {
  wire::Message message;
  message.body = wire::Buffer(most_bytes);
  iovec bytes{message.body.span().data(), message.body.size()};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most_descriptors * sizeof(int))> space{};
  header.msg_control = space.data();
  header.msg_controllen = space.size();
  ssize_t n = 0;
  while ((n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR) {}
  if (n < 0 && errno != ECONNRESET) throw io_error_from(errno, "listening to an agent");
  if (n <= 0) return std::nullopt;
  Received received;
  for (cmsghdr* head = CMSG_FIRSTHDR(&header); head != nullptr; head = CMSG_NXTHDR(&header, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
      received.descriptors.emplace_back(number);
    }
  }
  wire::Decoder decoder(message);
  decoder(received.notice);
  return received;
}

}  // namespace octavo::control
