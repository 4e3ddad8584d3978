// SPDX-License-Identifier: Apache-2.0
#include "process/serve/reply.hpp"

#include <cstdio>
#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/error_report.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

Reply::Impl::~Impl() {
  if (!owed_) return;
  owed_->remove(*this);
  if (const OwedReplies::Use use(owed_.get()); use && !sent)
    log_line("the answer to " + name() + " was dropped before it was sent: its caller is told when it inquires");
}

const Origin& Reply::Impl::from() const noexcept { return is_kept() ? kept_from_ : arrived_->from; }

void Reply::Impl::send(wire::frame_kind kind, wire::Outgoing& out) {
  out.header = call;
  out.header.kind = kind;
  out.header.flags = here.others_may_run(call.root, began_more.load(std::memory_order_relaxed)) ? wire::flag_more_may_run : 0;
  here.send_reply(from(), out);
  if (std::exchange(sent, true) || !owed_) return;
  owed_->remove(*this);  // after it was sent: whoever inquires meanwhile is told that it is owed
  here.peers().row().owes(-1);
}

void Reply::Impl::send_value(wire::Outgoing& out) {
  if (call.kind == wire::frame_kind::call) here.keep_state_of_reply();  // others change nothing, or have saved it
  send(wire::frame_kind::reply, out);
}

void Reply::Impl::method_is_over() {
  if (kept) kept->began_more.store(here.others_may_run(call.root, true));
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
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encode(encoder);
  impl_->send_value(out);
}

void Reply::plain(const void* value, std::size_t bytes) const {
  const OwedReplies::Use use(impl_->owed());
  if (!use) return;
  wire::Outgoing out;
  out.body.append(value, bytes);
  impl_->send_value(out);
}

void Reply::fail(const std::exception_ptr& error) const noexcept {
  const OwedReplies::Use use(impl_->owed());
  if (!use) return;
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
  if (!result->ready()) impl_->here.reply_comes_later(impl_->from().caller(), impl_->call.call, result);
}

void Endpoint::send_reply(const Origin& to, wire::Outgoing& out) {
  if (auto* direct = runs_methods() ? to.direct(links_round_) : nullptr) return send_reply_by(*direct, to.route(), out);
  if (auto connection = to.connection()) return send_reply_by(*connection, to.route(), out);
  if (auto other = peers_.links().link_if_there(to.caller(), to.pid())) return send_reply_by(*other->connection, other->route, out);
  if (!peers_.links().obituary_of(to.caller()) && !peers_.links().orphaned())
    log_line("a reply to call " + std::to_string(out.header.call) + " of process " + std::to_string(to.caller().object) +
             " could not be sent: there is no connection with it, and its agent has not said that it died");
}

// Where the connection is lost, the caller is dead, of which its agent tells, or its inquiry finds that the connection is (inquiry/).
void Endpoint::send_reply_by(road::Connection& connection, const std::optional<wire::PageRoute>& route, wire::Outgoing& out) {
  pages_leave(out, route);
  out.seal();
  try {
    delay_point("reply: about to be sent");
    connection.send(out, road::keep_rest);
    count_sent(frame_bytes(out));
    pages_left(out, route);
  } catch (const gone_error&) {
    pages_stay(out, route);
  }
}

}  // namespace octavo::detail
