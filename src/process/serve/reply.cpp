// SPDX-License-Identifier: Apache-2.0
#include "process/serve/reply.hpp"

#include <cstdio>
#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "process/error_report.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

void Reply::Impl::send(wire::frame_kind kind, wire::Outgoing& out) {
  out.header = call;
  out.header.kind = kind;
  out.header.flags = here.others_may_run(call.root, began_more.load(std::memory_order_relaxed)) ? wire::flag_more_may_run : 0;
  if (!std::exchange(sent, true) && is_kept) here.reply_is_sent();
  if (!is_kept && arrived->round == here.links_round_) return here.send_reply(arrived->direct, route, out);
  here.send_reply((is_kept ? way : arrived->way).lock().get(), route, out);
}

void Reply::Impl::send_value(wire::Outgoing& out) {
  if (call.kind == wire::frame_kind::call) here.keep_state_of_reply();  // others change nothing, or have saved it
  send(wire::frame_kind::reply, out);
}

void Reply::Impl::method_is_over() {
  if (kept) kept->began_more.store(here.others_may_run(call.root, true));
}

Reply Reply::kept() const {
  if (!impl_->kept) {
    impl_->here.reply_is_owed();
    impl_->kept = std::make_shared<Impl>(*impl_);
  }
  Reply later(*impl_->kept);
  later.owner_ = impl_->kept;
  return later;
}

void Reply::value(const std::function<void(wire::Encoder&)>& encode) const {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encode(encoder);
  impl_->send_value(out);
}

void Reply::plain(const void* value, std::size_t bytes) const {
  wire::Outgoing out;
  out.body.append(value, bytes);
  impl_->send_value(out);
}

void Reply::fail(const std::exception_ptr& error) const noexcept {
  try {
    wire::Outgoing out;
    encode_error(out, error, impl_->here.facts(), impl_->name());
    impl_->send(wire::frame_kind::error, out);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the error of %s could not be sent: %s\n", impl_->name().c_str(), e.what());
  }
}

void Reply::later(const std::shared_ptr<StateBase>& result) const {
  delay_point("reply: comes later");
  if (!result->ready()) impl_->here.reply_comes_later(impl_->caller, impl_->call.call, result);
}

void Endpoint::send_reply(road::Connection* way, const std::optional<wire::PageRoute>& route, wire::Outgoing& out) {
  pages_leave(out, route);
  out.seal();
  try {
    if (way == nullptr) return pages_stay(out, route);
    delay_point("reply: about to be sent");
    way->send(out, road::keep_rest);
    count_sent(frame_bytes(out));
    pages_left(out, route);
  } catch (const gone_error&) {  // nobody to tell
    pages_stay(out, route);
  }
}

}  // namespace octavo::detail
