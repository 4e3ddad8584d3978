// SPDX-License-Identifier: Apache-2.0
// What a server for sftp says, or a login that prints something: each packet is taken apart, or refused, and none is larger than what came.
#include "fuzz/kit/check.hpp"
#include "octavo/base/error.hpp"
#include "road/net/sftp/packet.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace sftp = octavo::road::sftp;
  octavo::ByteView said(reinterpret_cast<const std::byte*>(data), size);
  try {
    while (const auto whole = sftp::whole(said)) {
      octavo::fuzz::require(*whole <= said.size() && *whole > 4, "a packet lies within what came");
      const auto reply = sftp::reply_of(said.first(*whole));
      octavo::fuzz::require(reply.text.size() + reply.rest.size() <= *whole, "no more comes out than went in");
      if (reply.what == sftp::answer::extended) static_cast<void>(sftp::room_in(reply.rest));
      said = said.subspan(*whole);
    }
  } catch (const octavo::error&) {}
  return 0;
}
