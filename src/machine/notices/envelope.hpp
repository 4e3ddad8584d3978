// SPDX-License-Identifier: Apache-2.0
// What agents and processes tell each other comes in an envelope: the version of all that, the service that it belongs to, and how long its body is. It is
// checked before a byte of the body is decoded.
//
//   wire::Body bytes = control::sealed(control::service{3}, body);
//   auto [service, body] = control::opened(bytes, "a notice", cure);
//
// Threading: any. Failure: opened() throws io_error that says what is wrong: too short, of another version, cut short, left over; its caller, who knows which
// services there are, does for an unknown one (unknown_service).
#pragma once

#include <cstdint>

#include "octavo/wire/frame.hpp"

namespace octavo::control {

// Of all notices. A change of any of them is a new version.
inline constexpr std::uint16_t envelope_version = 12;

// A number on the wire, which is never used again: the place in the list of control::Notice, from 1; or what agents tell each other (talk.hpp), or a lasting
// agent notes for the next one (reader_record.hpp).
enum class service : std::uint16_t { reader_record = 0xfffe, of_agents = 0xffff };

struct Envelope {
  service of{};
  ByteView body;  // within what was opened
};

wire::Body sealed(service of, ByteView body);
// `what`: "a notice".
Envelope opened(ByteView bytes, const char* what, const char* cure);
[[noreturn]] void unknown_service(service of, const char* what, const char* cure);

}  // namespace octavo::control
