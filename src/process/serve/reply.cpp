// SPDX-License-Identifier: Apache-2.0
#include "process/serve/reply.hpp"

#include <cstdio>

#include "octavo/base/log.hpp"
#include "process/errors/error_report.hpp"

namespace octavo::detail {

Reply::Impl::~Impl() {
  if (!owed_) return;
  owed_->remove(*this);
  if (const OwedReplies::Use use(owed_.get()); use && !sent)
    log_line("the answer to " + name() + " was dropped before it was sent: its caller is told when it inquires");
}

const Origin& Reply::Impl::from() const noexcept { return is_kept() ? kept_from_ : arrived_->from; }

void Reply::Impl::send(wire::frame_kind kind, wire::Outgoing& out, const std::exception_ptr& error) {
  if (to_all) here.asks().answers_call_to_all(to_all, error);
  out.header = call;
  out.header.kind = kind;
  out.header.flags = here.asks().others_may_run(call.root, began_more.load(std::memory_order_relaxed)) ? wire::flag_more_may_run : 0;
  here.send(from(), out);
  if (std::exchange(sent, true) || !owed_) return;
  owed_->remove(*this);  // after it was sent: whoever inquires meanwhile is told that it is owed
  here.count_owed(-1);
}

void Reply::Impl::send_value(wire::Outgoing& out) {
  if (call.kind == wire::frame_kind::call) here.asks().before_reply();  // others change nothing, or have saved it
  send(wire::frame_kind::reply, out);
}

void Reply::Impl::method_is_over() {
  if (kept) kept->began_more.store(here.asks().others_may_run(call.root, true));
}

Reply Reply::kept() const {
  if (!impl_->kept) impl_->kept = std::make_shared<Impl>(*impl_);
  Reply later(*impl_->kept);
  later.owner_ = impl_->kept;
  return later;
}

void Reply::value(const std::function<void(wire::Encoder&)>& encode) const {
  const OwedReplies::Use use(impl_->owed());
  if (!use) return;
  impl_->here.end_if_forked();
  wire::Outgoing out;
  out.shares = &impl_->here.pool();
  wire::Encoder encoder(out);
  encode(encoder);
  impl_->send_value(out);
}

void Reply::plain(const void* value, std::size_t bytes) const {
  const OwedReplies::Use use(impl_->owed());
  if (!use) return;
  impl_->here.end_if_forked();
  wire::Outgoing out;
  out.body.append(value, bytes);
  impl_->send_value(out);
}

void Reply::fail(const std::exception_ptr& error) const noexcept {
  const OwedReplies::Use use(impl_->owed());
  if (!use) return;
  impl_->here.end_if_forked(error);
  try {
    wire::Outgoing out;
    encode_error(out, error, impl_->here.self(), impl_->name());
    impl_->send(wire::frame_kind::error, out, error);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the error of %s could not be sent: %s\n", impl_->name().c_str(), e.what());
  }
}

void Reply::later(const std::shared_ptr<StateBase>& result) const {
  delay_point("reply: comes later");
  if (!result->ready()) impl_->here.asks().comes_later(impl_->from().caller(), impl_->call.call, result);
}

}  // namespace octavo::detail
