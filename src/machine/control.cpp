// SPDX-License-Identifier: Apache-2.0
#include "machine/control.hpp"

#include <sys/socket.h>

#include <array>

#include "machine/notice_bytes.hpp"

namespace octavo::control {

namespace {
constexpr std::size_t most_bytes = 64 << 10, longest_envelope = 8;
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

heard receive_with(int flags, int socket, Received& into) {
  into = {};
  std::array<std::byte, most_bytes> room;  // left uncleared: decode() sees what came, no more
  datagram::Received came;
  const auto what = datagram::receive(flags, socket, room, came);
  if (what != datagram::heard::message) return what == datagram::heard::end ? heard::end : heard::nothing;
  into.descriptors = std::move(came.descriptors);
  into.lost_descriptors = came.lost_descriptors;
  if (came.cut) throw io_error("a notice is too long: of more than " + std::to_string(most_bytes) + " bytes", another_build);
  into.notice = decode(std::span(room).first(came.bytes));
  return heard::notice;
}

}  // namespace

bool send(int socket, const Notice& notice, std::span<const int> descriptors) { return datagram::send(0, socket, encode(notice), descriptors) == sent::whole; }
sent send_now(int socket, ByteView bytes, std::span<const int> descriptors) { return datagram::send(MSG_DONTWAIT, socket, bytes, descriptors); }

std::optional<Received> receive(int socket) {
  Received received;
  return receive_with(0, socket, received) == heard::notice ? std::optional(std::move(received)) : std::nullopt;
}
heard receive_now(int socket, Received& into) { return receive_with(MSG_DONTWAIT, socket, into); }

}  // namespace octavo::control
