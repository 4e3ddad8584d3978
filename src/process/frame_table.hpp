// SPDX-License-Identifier: Apache-2.0
// Which part of an endpoint, or which feature, takes a frame: by the frame's kind.
//
//   frames.add<&CycleFinder::take>(wire::frame_kind::probe, cycles);
//   frames.take(message, from);
//
// Contract: two handlers for one kind are a usage_error. A frame whose kind nobody takes is an io_error, by which its connection is closed.
// Threading: add() before the endpoint begins to read; the rest is the reader's.
#pragma once

#include <array>
#include <string>

#include "octavo/base/error.hpp"
#include "process/peers/peer_link.hpp"

namespace octavo::detail {

class FrameTable {
 public:
  // `Take`: void (wire::Message& message, const PeerLink& from), a method of `part`, which outlives the table's last use.
  template <auto Take, class Part>
  void add(wire::frame_kind kind, Part& part) {
    auto& handler = handler_of(kind);
    if (handler.take != nullptr) throw usage_error("frames of kind " + std::to_string(static_cast<int>(kind)) + " have two handlers");
    handler.part = &part;
    handler.take = [](void* of, wire::Message& message, const PeerLink& from) { (static_cast<Part*>(of)->*Take)(message, from); };
  }
  // `ReceivesInPlace`: bool (const wire::FrameHeader& header), as PollClient::receives_in_place (polling/poller.hpp). After add() of the same kind and part.
  template <auto ReceivesInPlace, class Part>
  void add_in_place(wire::frame_kind kind, Part& part) {
    auto& handler = handler_of(kind);
    if (handler.part != &part) throw usage_error("frames of kind " + std::to_string(static_cast<int>(kind)) + " are another part's");
    handler.receives_in_place = [](void* of, const wire::FrameHeader& header) { return (static_cast<Part*>(of)->*ReceivesInPlace)(header); };
  }

  void take(wire::Message& message, const PeerLink& from) const {
    const auto& handler = handlers_[static_cast<std::size_t>(message.header.kind) % handlers_.size()];
    if (handler.take == nullptr) raise_unknown(message.header.kind);
    handler.take(handler.part, message, from);
  }
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header) const {
    const auto& handler = handlers_[static_cast<std::size_t>(header.kind) % handlers_.size()];
    return handler.receives_in_place != nullptr && handler.receives_in_place(handler.part, header);
  }

 private:
  struct Handler {
    void* part = nullptr;
    void (*take)(void* part, wire::Message& message, const PeerLink& from) = nullptr;
    bool (*receives_in_place)(void* part, const wire::FrameHeader& header) = nullptr;
  };
  Handler& handler_of(wire::frame_kind kind) { return handlers_.at(static_cast<std::size_t>(kind)); }
  [[noreturn]] static void raise_unknown(wire::frame_kind kind) {
    throw io_error("a frame came of kind " + std::to_string(static_cast<int>(kind)) + ", which nothing here takes");
  }

  std::array<Handler, 32> handlers_{};  // by kind; a decoder has refused kinds that do not exist
};

}  // namespace octavo::detail
