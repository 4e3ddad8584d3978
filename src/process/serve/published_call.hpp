// SPDX-License-Identifier: Apache-2.0
// A call that runs, as its process's row of the status board shows it.
// Threading: the thread that runs methods.
#pragma once

#include "machine/board/board.hpp"
#include "octavo/process/detail/method.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// While this lives.
class PublishedCall : NoCopy {
 public:
  PublishedCall(OwnRow& row, wire::frame_kind kind, const Method* method) noexcept : row_(begin(row)), runs_(row_, what(kind, method), text(kind, method)) {}
  ~PublishedCall() { row_.call_ends(); }

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

}  // namespace octavo::detail
