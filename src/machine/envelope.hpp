// SPDX-License-Identifier: Apache-2.0
// What agents and processes tell each other comes in an envelope: the version of all that, the service that it belongs to, and how long its body is. It is
// checked before a byte of the body is decoded.
//
//   wire::Body bytes = control::sealed(control::service::locks, body);
//   auto [service, body] = control::opened(bytes, "a notice", cure);
//
// Threading: any. Failure: opened() throws io_error that says what is wrong: too short, of another version, of an unknown service, cut short, left over.
#pragma once

#include <cstdint>

#include "octavo/wire/frame.hpp"

namespace octavo::control {

// Of all notices. A change of any of them is a new version.
inline constexpr std::uint16_t envelope_version = 1;

// Numbers on the wire: they are never used again.
enum class service : std::uint16_t { life = 1, introductions = 2, names = 3, mailboxes = 4, locks = 5, outcomes = 6, agents = 7 };
inline constexpr std::uint16_t last_service = 7;

struct Envelope {
  service of = service::life;
  ByteView body;  // within what was opened
};

wire::Body sealed(service of, ByteView body);
// `what`: "a notice".
Envelope opened(ByteView bytes, const char* what, const char* cure);

}  // namespace octavo::control
