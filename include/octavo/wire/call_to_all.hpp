// SPDX-License-Identifier: Apache-2.0
// Which call to all members of a group a call is a part of. It travels behind the arguments, whose decoders do not look at it; the frame's flags say so.
// Threading: a value.
#pragma once

#include <cstdint>
#include <cstring>

#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// In the flags of a call, beside its depth.
inline constexpr std::uint8_t flag_to_all = 0x80;

struct CallToAll {
  std::uint64_t group = 0;
  std::uint64_t number = 0;  // no other call to all has it; 0: it is no part of one
  std::int64_t life = 0;     // of the member that is called, an object with a name: the pid that it had when the group was made
  [[nodiscard]] explicit operator bool() const noexcept { return number != 0; }
};

inline void append_call_to_all(wire::Outgoing& out, const CallToAll& which) {
  out.header.flags |= flag_to_all;
  out.body.append(&which, sizeof which);
}
// Of a call that came.
inline CallToAll call_to_all_of(std::uint8_t flags, ByteView body) noexcept {
  CallToAll which;
  if ((flags & flag_to_all) != 0 && body.size() >= sizeof which) std::memcpy(&which, body.last(sizeof which).data(), sizeof which);
  return which;
}

}  // namespace octavo::detail
