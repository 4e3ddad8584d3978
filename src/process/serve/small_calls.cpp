// SPDX-License-Identifier: Apache-2.0
#include "process/serve/small_calls.hpp"

#include <tuple>

#include "octavo/base/poll_budget.hpp"
#include "process/serve/lent_reading.hpp"
#include "process/serve/published_call.hpp"
#include "process/serve/reply.hpp"

namespace octavo::detail {

bool SmallCalls::serve_one(Hosted& object) {
  if (something_else()) return false;
  bool served = false;
  poller_.view().in_turn([&](std::size_t at) {
    if (!poller_.view()[at].connection->ready()) return true;
    served = serve_from(at, object);
    return false;
  });
  return served;
}

bool SmallCalls::serve_from(std::size_t at, Hosted& object) {
  auto& view = poller_.view();
  const auto& link = view[at];
  wire::SmallFrame call;
  if (!link.connection->next_small(call) || call.kind != wire::frame_kind::call) return false;
  const Method* method = methods_.find(call.method);
  if (method == nullptr || method->run_plain == nullptr || call.size < method->plain_bytes) return false;
  void* seen = object.seen(*method->type);
  if (seen == nullptr) return false;
  link.connection->pop_small();
  view.serve_next(at);
  called_again_ = view.holds(last_caller_) && last_caller_.at == at;
  last_caller_ = view.position(at);
  around_.row.received(sizeof(wire::FrameHeader) + call.size);
  if (!link.route) around_.row.count_arrival();  // others have counted it
  run(call, *method, seen, served_.arrives_from(link));
  return true;
}

// Until something else is to be done.
void SmallCalls::await_next() const {
  const auto& view = poller_.view();
  if (!called_again_ || !view.holds(last_caller_) || around_.bell.oversubscribed()) return;
  auto something = [&] { return something_else() || around_.asked_to_passivate.load(std::memory_order_acquire) || view.some_is_ready(); };
  auto& caller = *view[last_caller_.at].connection;
  if (something() || caller.await_next()) return;
  const auto mark = caller.next_mark();
  for (int poll = 0; poll < PollBudget::next_call.usual; ++poll)
    if (mark.comes(PollBudget::likely_line.usual) || something()) return;
}

// The method may read, and what was connected may be so no longer: hence the view's round.
void SmallCalls::run(const wire::SmallFrame& call, const Method& method, void* object, ArrivedCall& arrived) {
  const auto to_all = call_to_all_of(call.flags, ByteView(call.body).first(call.size));
  CallContext::Scope scope(context_, call.root, call.flags, to_all);
  scope.nothing_else_runs(call.root == root_of(arrived.from.caller(), call.call));
  const PublishedCall published(around_.row, call.kind, &method);
  wire::SmallFrame answer = call;
  std::exception_ptr error;
  {
    const ServedCalls::Running running(served_, arrived.from.caller(), call.call);
    try {
      const LentReading lent(poller_.waiters());
      answer.size = static_cast<std::uint16_t>(method.run_plain(object, call.body.data(), answer.body.data()));
      replies_.end_if_forked();
    } catch (...) {
      error = std::current_exception();
      replies_.end_if_forked(error);
    }
  }
  auto* direct = arrived.from.direct(poller_.view().round());
  if (!error && to_all) replies_.asks().answers_call_to_all(to_all, nullptr);
  if (!error && direct != nullptr) {
    answer.kind = wire::frame_kind::reply;
    answer.flags = replies_.asks().others_may_run(call.root, true) ? wire::flag_more_may_run : 0;
    if (direct->send_small(answer) == road::sent_now::sent) return around_.row.sent(sizeof(wire::FrameHeader) + answer.size);
  }
  auto& header = arrived.message.header;
  if (auto connection = arrived.from.connection()) header = connection->header_of(call);
  std::tie(header.kind, header.call, header.root, header.flags, header.method) = std::tie(call.kind, call.call, call.root, call.flags, call.method);
  Reply::Impl reply(replies_, arrived, &method);
  reply.to_all = error ? to_all : CallToAll();
  if (error) Reply(reply).fail(error);
  else Reply(reply).plain(answer.body.data(), answer.size);
}

}  // namespace octavo::detail
