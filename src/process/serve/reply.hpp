// SPDX-License-Identifier: Apache-2.0
// The call that a Reply answers: on the stack while its method runs, on the heap if it is answered later.
#pragma once

#include "process/serve/replies.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

struct Reply::Impl {
  Impl(const Replies& at, const ArrivedCall& from, const Method* found)
      : here(at), call(from.message.header), method(found), to_all(call_to_all_of(call.flags, from.message.body.span())), arrived_(&from) {}
  // A reply that is kept after its method returned: it owes the answer until that was sent.
  explicit Impl(const Impl& on_stack)
      : here(on_stack.here), call(on_stack.call), method(on_stack.method), to_all(on_stack.to_all), kept_from_(on_stack.from()), owed_(here.owed()) {
    owed_->add(*this);
    here.count_owed(1);
  }
  Impl& operator=(const Impl&) = delete;
  ~Impl();

  [[nodiscard]] std::string name() const { return method != nullptr ? method->key : "a call"; }
  [[nodiscard]] OwedReplies* owed() const noexcept { return owed_.get(); }  // null: this one is on the stack
  [[nodiscard]] bool is_kept() const noexcept { return owed_ != nullptr; }
  [[nodiscard]] const Origin& from() const noexcept;
  void send(wire::frame_kind kind, wire::Outgoing& out, const std::exception_ptr& error = nullptr);
  void send_value(wire::Outgoing& out);
  // What is known when the method has returned.
  void method_is_over();

  const Replies& here;
  wire::FrameHeader call;
  const Method* method;  // null: none that this program knows
  CallToAll to_all;
  std::atomic<bool> began_more{true};  // as far as is known: the method has not returned, or left something of its root running
  bool sent = false;
  std::shared_ptr<Impl> kept;  // the one that answers later; set while this one is on the stack

 private:
  friend class OwedReplies;
  const ArrivedCall* arrived_ = nullptr;       // what is answered, while this is on the stack; lives as long
  Origin kept_from_;                           // the caller's, once this is kept
  std::shared_ptr<OwedReplies> owed_;          // the list that it is in, once it is kept
  Impl *before_ = nullptr, *after_ = nullptr;  // in that list
  bool listed_ = false;
};

}  // namespace octavo::detail
