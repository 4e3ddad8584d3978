// SPDX-License-Identifier: Apache-2.0
// What processes say to their agent and it to them, and what agents of several machines say to each other, from any bytes: byte 0 says whose, the rest is
// the notice, as it is decoded where it arrives; or byte 1 is the service, and the rest a body that comes in a whole envelope. What was decoded and is encoded
// again decodes to the same.
#include <algorithm>

#include "fuzz/kit/check.hpp"
#include "machine/agent/peers/talk.hpp"
#include "machine/control.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/notices/envelope.hpp"

namespace {

template <class Decode, class Encode>
void check(octavo::ByteView bytes, Decode decode, Encode encode) {
  octavo::fuzz::accepts(bytes.size(), [&] {
    octavo::wire::Body first = encode(decode(bytes));
    octavo::fuzz::require(encode(decode(first)) == first, "encoded again it is the same bytes");
  });
}

// What an envelope says of itself holds, or it is refused.
void check_envelope(octavo::ByteView bytes) {
  octavo::fuzz::accepts(bytes.size(), [&] {
    const auto [of, body] = octavo::control::opened(bytes, "a notice", "");
    octavo::fuzz::require(body.data() + body.size() == bytes.data() + bytes.size(), "the body is all that follows");
    const auto again = octavo::control::sealed(of, body);
    octavo::fuzz::require(std::equal(bytes.begin(), bytes.end(), octavo::ByteView(again).begin(), octavo::ByteView(again).end()),
                          "sealed again it is the same");
  });
}

octavo::wire::Body encoded(const octavo::engine::Invitation& invitation) {
  octavo::wire::Outgoing out;
  octavo::wire::Encoder encoder(out);
  encoder(invitation);
  octavo::fuzz::require(out.bulk.empty(), "an invitation is short");
  return std::move(out.body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const auto check_both = [](octavo::ByteView notice) {
    check_envelope(notice);
    check(notice, octavo::control::decode, octavo::control::encode);
  };
  switch (data[0] % 4) {
    case 0: check_both(bytes); break;
    case 1: check(bytes, octavo::talk::decode, octavo::talk::encode); break;
    case 2: check(bytes.first(std::min<std::size_t>(bytes.size(), 4096)), octavo::engine::decode, encoded); break;
    default:
      if (!bytes.empty()) check_both(octavo::control::sealed(static_cast<octavo::control::service>(bytes[0]), bytes.subspan(1)));
  }
  return 0;
}
