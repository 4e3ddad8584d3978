// SPDX-License-Identifier: Apache-2.0
// What processes say to their agent and it to them, and what agents of several machines say to each other, from any bytes: byte 0 says whose, the rest is
// the notice, as it is decoded where it arrives. What was decoded and is encoded again decodes to the same.
#include "fuzz/kit/check.hpp"
#include "machine/agent/talk.hpp"
#include "machine/control.hpp"
#include "machine/engine/invitation.hpp"

namespace {

template <class Decode, class Encode>
void check(octavo::ByteView bytes, Decode decode, Encode encode) {
  octavo::fuzz::accepts(bytes.size(), [&] {
    octavo::wire::Body first = encode(decode(bytes));
    octavo::fuzz::require(encode(decode(first)) == first, "encoded again it is the same bytes");
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
  switch (data[0] % 3) {
    case 0: check(bytes, octavo::control::decode, octavo::control::encode); break;
    case 1: check(bytes, octavo::talk::decode, octavo::talk::encode); break;
    default: check(bytes.first(std::min<std::size_t>(bytes.size(), 4096)), octavo::engine::decode, encoded); break;
  }
  return 0;
}
