// SPDX-License-Identifier: Apache-2.0
#include "machine/notices/envelope.hpp"

#include <cstring>
#include <string>

#include "octavo/base/error.hpp"

namespace octavo::control {

namespace {

struct Head {
  std::uint16_t version = envelope_version, of = 0;
  std::uint32_t length = 0;  // of the body
};
static_assert(sizeof(Head) == 8);

}  // namespace

wire::Body sealed(service of, ByteView body) {
  const Head head{envelope_version, static_cast<std::uint16_t>(of), static_cast<std::uint32_t>(body.size())};
  wire::Body bytes;
  bytes.append(&head, sizeof head);
  bytes.append(body.data(), body.size());
  return bytes;
}

Envelope opened(ByteView bytes, const char* what, const char* cure) {
  auto refuse = [&](const std::string& why) { throw io_error(std::string(what) + " " + why, cure); };
  Head head;
  if (bytes.size() < sizeof head)
    refuse("is too short: " + std::to_string(bytes.size()) + " bytes came, its envelope alone has " + std::to_string(sizeof head));
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.version != envelope_version) refuse("is of version " + std::to_string(head.version) + ", and this is version " + std::to_string(envelope_version));
  const auto body = bytes.subspan(sizeof head);
  if (head.length > body.size()) refuse("is cut short: " + std::to_string(body.size()) + " of " + std::to_string(head.length) + " bytes came");
  if (head.length < body.size()) refuse("has " + std::to_string(body.size() - head.length) + " of " + std::to_string(bytes.size()) + " bytes left over");
  return {static_cast<service>(head.of), body};
}

void unknown_service(service of, const char* what, const char* cure) {
  throw io_error(std::string(what) + " is of service " + std::to_string(static_cast<int>(of)) + ", which is not known here", cure);
}

}  // namespace octavo::control
