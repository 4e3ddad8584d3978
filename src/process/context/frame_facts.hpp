// SPDX-License-Identifier: Apache-2.0
// What the parts of an endpoint count of frames.
#pragma once

#include <cstddef>

#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// Those that lie in the callee's queue until their turn comes.
constexpr bool is_queued(wire::frame_kind kind) noexcept {
  using wire::frame_kind;
  return kind == frame_kind::call || kind == frame_kind::construct || kind == frame_kind::destroy || kind == frame_kind::save || kind == frame_kind::is_a;
}

// Of a wire::Outgoing or Message; pages are not in it.
template <class Frame>
std::size_t frame_bytes(const Frame& frame) noexcept {
  std::size_t bytes = sizeof frame.header + frame.body.size();
  for (const auto& part : frame.bulk) bytes += part.size();
  if constexpr (requires { frame.pending_bulk; }) bytes += frame.pending_bulk ? frame.pending_bulk->left() : 0;
  return bytes;
}

}  // namespace octavo::detail
