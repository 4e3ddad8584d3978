// SPDX-License-Identifier: Apache-2.0
// What an endpoint shows of itself on its agent's status board.
#pragma once

#include <string_view>

#include "machine/board/board.hpp"
#include "octavo/process/detail/method.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// A call that runs, while this lives.
class ShownCall {
 public:
  ShownCall(OwnRow& row, wire::frame_kind kind, const Method* method) noexcept : row_(begin(row)), runs_(row_, what(kind, method), text(kind, method)) {}
  ~ShownCall() { row_.call_ends(); }
  ShownCall(const ShownCall&) = delete;
  ShownCall& operator=(const ShownCall&) = delete;

 private:
  static OwnRow& begin(OwnRow& row) noexcept {
    row.call_begins();
    return row;
  }
  static std::string_view text(wire::frame_kind kind, const Method* method) noexcept {
    if (method != nullptr) return method->key;
    switch (kind) {
      case wire::frame_kind::destroy: return "its destructor";
      case wire::frame_kind::save: return "saving its state";
      default: return "a call";
    }
  }
  static const void* what(wire::frame_kind kind, const Method* method) noexcept {
    return method != nullptr ? static_cast<const void*>(method) : text(kind, method).data();
  }

  OwnRow& row_;
  OwnRow::Method runs_;
};

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
  if constexpr (requires { frame.coming; }) bytes += frame.coming ? frame.coming->left() : 0;
  return bytes;
}

}  // namespace octavo::detail
