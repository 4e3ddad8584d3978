// SPDX-License-Identifier: Apache-2.0
// The short way of a small call that is answered at once: from the caller's stack into the lane of its connection and back. Nothing is allocated but
// for pages, nothing entered anywhere, no lock of the endpoint taken. Whatever is not as usual takes the way of every call (made_calls.cpp): before anything
// was sent by beginning there, afterwards by entering the call among the pending ones.
//
// The calling thread has the reader's role meanwhile: so no other thread takes the answer for one that nobody waits for, and the links in the view stay alive.
// Meanwhile other connections are not looked at; so it lasts some microseconds, a few tens of them at most, and less where it did not pay.
#include <algorithm>

#include "octavo/base/error.hpp"
#include "process/calls/made_calls.hpp"
#include "process/context/frame_facts.hpp"

namespace octavo::detail {

namespace {
constexpr std::uint64_t calls_between_looks = 16;

void fill_plain(ByteSpan result, const wire::Message& reply) {
  const auto came = reply.body.span();
  if (came.size() < result.size()) wire::raise_bad_plain(result.size(), came.size());
  std::copy_n(came.begin(), result.size(), result.begin());
}
}  // namespace

int MadeCalls::polls_now() const noexcept { return polls_.now(around_.bell.oversubscribed()); }

bool MadeCalls::may_go_quickly(const Address& to) const { return !to.lasting() && !around_.self.address.lasting() && !has_ended(); }

const PeerLink* MadeCalls::send_quickly(const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out) {
  sender_.fill_header(out.header, to, kind, method);
  out.seal();
  number(out.header);
  return send_by_lane(to, frame_bytes(out), [&](const PeerLink& by) { return sender_.send_now(by, out); });
}

// The call is counted with those that arrived before it is sent, for the callee may have begun it before this thread goes on; and no more if it was not sent.
template <class Send>
const PeerLink* MadeCalls::send_by_lane(const Address& to, std::size_t bytes, Send send) {
  const auto* link = sender_.by_lane(to, PollBudget::lane_room.usual, [&](const PeerLink& by) {
    auto count = [this, route = by.route](int change) {
      if (route) around_.board.count_call_to(route->slot, change);
    };
    count(1);
    try {
      const auto went = send(by);
      if (went != road::sent_now::sent) count(-1);
      return went;
    } catch (...) {
      count(-1);
      throw;
    }
  });
  if (link != nullptr) around_.row.sent(bytes);
  return link;
}

bool MadeCalls::start_quickly(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out) {
  if (kind != wire::frame_kind::call || !Sender::may_go_now(out) || !may_go_quickly(to)) return false;
  const BriefReading reading(poller_.waiters());
  const auto* link = reading ? send_quickly(to, kind, method, out) : nullptr;
  if (link == nullptr) return false;
  delay_point("quick: sent, not entered");
  state->callee = to;
  enter(state, *link, out.header);
  read_some(out.header.call, *link);
  return true;
}

QuickCall MadeCalls::try_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out) {
  if (!Sender::may_go_now(out) || !may_go_quickly(to)) return {};
  const BriefReading reading(poller_.waiters());
  const auto* link = reading ? send_quickly(to, wire::frame_kind::call, method, out) : nullptr;
  if (link == nullptr) return {};
  return await_quickly(*link, to, out.header, polls_now());
}

QuickCall MadeCalls::await_quickly(const PeerLink& link, const Address& to, const wire::FrameHeader& header, int polls) {
  wire::Message reply;
  if (link.connection->comes(polls) && receive_answer(link, header.call, reply)) {  // and not a callback, perhaps
    around_.row.received(frame_bytes(reply));
    polls_.paid();
    if (reply.header.flags == wire::flag_more_may_run) context_.others_may_run();
    if (reply.header.kind == wire::frame_kind::reply) return {std::move(reply), nullptr};
    State<void> failed;
    failed.callee = to;
    failed.complete(std::move(reply));
    return {failed.take_reply(), nullptr};
  }
  polls_.was_in_vain();
  auto state = std::make_shared<State<void>>();
  state->callee = to;
  const PeerLink as_every = link;
  delay_point("quick: no answer yet, not entered");
  enter(state, as_every, header);
  fail_if_forgotten(state, as_every, header.call);
  return {std::nullopt, std::move(state)};
}

bool MadeCalls::receive_answer(const PeerLink& from, std::uint64_t call, wire::Message& into) {
  try {
    return from.connection->receive_answer(call, into);
  } catch (error& e) {
    context_.others_may_run();  // what it had begun elsewhere
    poller_.close_damaged(from, e);
    throw;
  }
}

// Of many calls that are started one after the other, the answers of those before.
void MadeCalls::read_some(std::uint64_t number, const PeerLink& link) {
  if (number % calls_between_looks == 0 && !poller_.is_pumping() && link.connection->ready()) poller_.pump();
}

// --- the same for a few numbers ---

bool MadeCalls::start_small(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView numbers) {
  if (!may_go_quickly(to)) return false;
  const BriefReading reading(poller_.waiters());
  if (!reading) return false;
  wire::SmallFrame call = numbered(method, numbers);
  const std::uint64_t number = call.call, root = call.root;  // to be read again from the frame, they would wait until its line has left the store buffer
  const auto* link = send_small(to, call);
  if (link == nullptr) return false;
  delay_point("quick: small one sent, not entered");
  state->callee = to;
  enter(number, {state, to, link->facts.pid, method, root});
  read_some(number, *link);
  return true;
}

// Those that come next, to calls that were started: no message is made. True if there were some; then the threads that wait are to be woken.
bool MadeCalls::take_small(const PeerLink& link) {
  constexpr int at_once = 64;  // then others hear of theirs
  int some = 0;
  const auto round = poller_.view().round();
  for (wire::SmallFrame answer;
       some < at_once && round == poller_.view().round() && link.connection->next_small(answer) && answer.kind == wire::frame_kind::reply; ++some) {
    context_.reply_came(answer);
    delay_point("quick: about to take an answer");
    auto state = forget(answer.call);
    const auto header = state && !state->plain ? link.connection->header_of(answer) : wire::FrameHeader();
    link.connection->pop_small();
    around_.row.received(sizeof(wire::FrameHeader) + answer.size);
    const ByteView came = ByteView(answer.body).first(answer.size);
    if (state && state->plain) state->complete_plain(came);
    else if (state) state->complete(wire::message_of(header, came));
  }
  return some != 0;
}

wire::SmallFrame MadeCalls::numbered(std::uint64_t method, ByteView numbers) {
  wire::SmallFrame call;
  call.method = method;
  call.size = static_cast<std::uint16_t>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), call.body.begin());
  number(call);
  return call;
}

const PeerLink* MadeCalls::send_small(const Address& to, const wire::SmallFrame& frame) {
  return send_by_lane(to, sizeof(wire::FrameHeader) + frame.size, [&](const PeerLink& by) { return by.connection->send_small(frame); });
}

bool MadeCalls::call_small(const Address& to, std::uint64_t method, ByteView numbers, ByteSpan result) {
  if (!may_go_quickly(to)) return false;
  const BriefReading reading(poller_.waiters());
  if (!reading) return false;
  const wire::SmallFrame call = numbered(method, numbers);
  const auto* link = send_small(to, call);
  if (link == nullptr) return false;
  auto* connection = link->connection.get();
  if (!around_.bell.oversubscribed()) connection->await_next();
  wire::SmallFrame answer;
  auto is_answer = [&] { return answer.kind == wire::frame_kind::reply && answer.call == call.call && answer.size >= result.size(); };
  if (connection->comes(polls_now()) && connection->next_small(answer) && is_answer()) {
    connection->pop_small();
    around_.row.received(sizeof(wire::FrameHeader) + answer.size);
    polls_.paid();
    if (answer.flags == wire::flag_more_may_run) context_.others_may_run();
    std::copy_n(answer.body.begin(), result.size(), result.begin());
    return true;
  }
  wire::FrameHeader header;
  sender_.fill_header(header, to, call.kind, method);
  std::tie(header.call, header.root, header.flags) = std::tie(call.call, call.root, call.flags);
  auto quick = await_quickly(*link, to, header, 1);  // it has not come, or is another
  if (quick.begun) {
    wait_(*quick.begun, road::never);
    quick.reply = quick.begun->take_reply();
  }
  fill_plain(result, *quick.reply);
  return true;
}

void MadeCalls::call(const Address& to, std::uint64_t method, ByteView numbers, ByteSpan result) {
  if (call_small(to, method, numbers, result)) return;
  wire::Outgoing out;
  out.body.append(numbers.data(), numbers.size());
  const auto state = std::make_shared<State<void>>();
  begin_usual(state, to, wire::frame_kind::call, method, out, {Sender::when_full::wait_for_room});
  wait_(*state, road::never);
  fill_plain(result, state->take_reply());
}

}  // namespace octavo::detail
