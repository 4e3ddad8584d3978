// SPDX-License-Identifier: Apache-2.0
// The call that a Reply answers: on the stack while its method runs, on the heap if it is answered later.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "process/endpoint.hpp"

namespace octavo::detail {

struct Reply::Impl {
  Impl(Endpoint& at, const Endpoint::Arrived& from, const Method* found)
      : here(at), arrived(&from), route(from.route), caller(from.caller), call(from.message.header), method(found) {}
  explicit Impl(const Impl& on_stack)
      : here(on_stack.here),
        way(on_stack.arrived->way),
        route(on_stack.route),
        caller(on_stack.caller),
        call(on_stack.call),
        method(on_stack.method),
        is_kept(true) {}
  Impl& operator=(const Impl&) = delete;
  ~Impl() = default;

  [[nodiscard]] std::string name() const { return method != nullptr ? method->key : "a call"; }
  void send(wire::frame_kind kind, wire::Outgoing& out);
  void send_value(wire::Outgoing& out);
  // What is known when the method has returned.
  void method_is_over();

  Endpoint& here;
  const Endpoint::Arrived* arrived = nullptr;  // of the one on the stack; lives as long
  std::weak_ptr<road::Connection> way;         // of one that is kept
  std::optional<wire::PageRoute> route;
  Address caller;
  wire::FrameHeader call;
  const Method* method;                // null: none that this program knows
  std::atomic<bool> began_more{true};  // as far as is known: the method has not returned, or left something of its root running
  bool is_kept = false, sent = false;
  std::shared_ptr<Impl> kept;  // of the one on the stack
};

}  // namespace octavo::detail
