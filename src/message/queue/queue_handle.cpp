// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/queue_handle.hpp"

#include "message/channel/end_requests.hpp"
#include "message/queue/queue_keeper.hpp"
#include "message/queue/queues.hpp"
#include "octavo/message/queue.hpp"
#include "octavo/process/detail/member.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace octavo {

OCTAVO_ERROR(octavo::queue_shut_down)

namespace detail {

namespace {

queue_outcome outcome_of(wire::Message& answer) {
  auto outcome = queue_outcome::done;
  wire::Decoder in(answer);
  in(outcome);
  return outcome;
}

[[noreturn]] void raise_shut_down() {
  throw queue_shut_down("the queue is shut down", "Stop here: nothing is put into it any more, and what lay there was taken, or dropped");
}

[[noreturn]] void raise_lost(wire::Message& answer) {
  wire::Decoder in(answer);
  auto outcome = queue_outcome::lost;
  Obituary reader;
  in(outcome);
  in(reader);
  process_died told(std::move(reader));
  told.add_context("items that it had taken from the queue, without task_done(), may not be worked off, and count no more");
  throw told;
}

wire::Outgoing headed(std::uint64_t queue, std::uint64_t ticket) {
  wire::Outgoing out;
  out.body.append(&queue, sizeof queue);
  out.body.append(&ticket, sizeof ticket);
  return out;
}

}  // namespace

struct QueueHandle::Asked {
  std::uint64_t ticket = 0;
  Deadline deadline;
  const QueueWaiting& waiting;
  bool for_an_item = false;
};

QueueHandle QueueHandle::make(std::uint64_t bound, std::string type) {
  const auto keeper = Queues::here().keeper();
  return {keeper, call<&QueueKeeper::make>(remote_ptr<QueueKeeper>(keeper), bound), bound, std::move(type)};
}

void QueueHandle::check() const {
  if (!keeper_)
    throw usage_error("a queue was used that is none", "Make it with a bound, octavo::Queue<T> queue(16), or 0 for none; or pass one as an argument");
}

std::uint64_t QueueHandle::bound() const {
  check();
  return bound_;
}

void QueueHandle::check_type(const std::string& wanted) const {
  if (keeper_ && type_ != wanted)
    throw usage_error("a queue of " + type_ + " was passed where one of " + wanted + " is meant", "Use one type for all ends of a queue");
}

// A death that an answer tells of may be that of the keeper.
template <class Work>
auto QueueHandle::told_of_its_end(const Work& work) const {
  try {
    return work();
  } catch (process_died& e) {
    if (e.obituary().facts.address == keeper_)
      e.add_context("a queue ended with the object or program that had made it: make it in one that lives as long as all who use it");
    throw;
  }
}

// False: the keeper did not answer in that time.
bool QueueHandle::withdraw(const Asked& how, bool gives_back, Deadline deadline) const {
  const auto state = std::make_shared<State<void>>();
  auto out = headed(number_, how.ticket);
  wire::put_plain(out.body, gives_back);
  begin_call(state, keeper_, wire::frame_kind::call, *MethodOf<&QueueKeeper::withdraw>::entry, out);
  if (!how.waiting.wait(*state, deadline)) return state->abandon(), false;
  finish_call(*state);
  return true;
}

// The answer comes, though nobody wants it: an item that it brings goes back to the front.
void QueueHandle::put_back(const std::shared_ptr<State<void>>& begun, const Asked& how) const {
  auto answer = begun->take_reply();
  if (!how.for_an_item || outcome_of(answer) != queue_outcome::done) return;
  auto out = headed(number_, how.ticket);
  const auto item = answer.body.span().subspan(sizeof(queue_outcome));
  out.body.append(item.data(), item.size());
  for (const auto& each : answer.bulk) out.bulk.emplace_back(each.span());
  out.pages = std::exchange(answer.pages, {});
  out.owner.keeper = answer.keeper;
  const auto state = std::make_shared<State<void>>();
  begin_call(state, keeper_, wire::frame_kind::call, *queue_methods().put_back, out);
  state->abandon();
}

// One way, and before anybody uses the item: one that kills its reader does not go on to the next.
void QueueHandle::confirm(const Asked& how) const {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::has_item;
  frame.method = number_;
  frame.call = how.ticket;
  try {
    Endpoint::require().sender().post_small(keeper_, frame, Sender::when_full::hand_over);
  } catch (const error&) {  // the keeper is gone, and gives it to nobody
  }
}

// What is thrown at a thread that waits (Ctrl-C, the end of the Runtime) takes the request back. The keeper has answered that, too, when it answers what came
// later.
wire::Message QueueHandle::await(const std::shared_ptr<State<void>>& begun, const Asked& how) const {
  constexpr std::chrono::seconds patience{1};
  const Visit visit;  // the Runtime may end meanwhile, in another thread
  try {
    if (!how.waiting.wait(*begun, how.deadline) && withdraw(how, false, forever())) how.waiting.wait(*begun, forever());
  } catch (...) {
    const auto thrown = std::current_exception();
    try {
      if (withdraw(how, true, deadline_after(patience)) && begun->ready()) put_back(begun, how);
      else begun->abandon();
    } catch (...) {  // it is gone, or a second Ctrl-C came
      begun->abandon();
    }
    std::rethrow_exception(thrown);
  }
  return begun->take_reply();
}

wire::Message QueueHandle::ask(const Method& method, wire::Outgoing& out, const Asked& how) const {
  auto call = begin_quickly(keeper_, method, out, how.waiting.aside);
  auto answer = call.reply ? std::move(*call.reply) : await(call.begun, how);
  if (outcome_of(answer) == queue_outcome::ended) raise_death(keeper_);  // of which its agent tells in a moment
  return answer;
}

bool QueueHandle::put(const std::function<void(wire::Encoder&)>& encode, Deadline deadline, const QueueWaiting& waiting) const {
  check();
  const Asked how{deadline == Deadline() ? 0 : Queues::here().next_ticket(), deadline, waiting};
  auto out = headed(number_, how.ticket);
  {
    const EncodesForQueue ends_stay;
    wire::Encoder encoder(out);
    encode(encoder);
  }
  return told_of_its_end([&] {
    auto answer = ask(*queue_methods().put, out, how);
    const auto outcome = outcome_of(answer);
    if (outcome == queue_outcome::shut_down) raise_shut_down();
    return outcome == queue_outcome::done;
  });
}

bool QueueHandle::get(const std::function<void(wire::Decoder&)>& decode, Deadline deadline, const QueueWaiting& waiting) const {
  check();
  const auto number = Queues::here().next_ticket();
  const Asked how{deadline == Deadline() ? number | QueueTicket::at_once : number, deadline, waiting, true};
  return told_of_its_end([&] {
    auto out = headed(number_, how.ticket);
    auto answer = ask(*queue_methods().get, out, how);
    auto outcome = outcome_of(answer);
    if (outcome == queue_outcome::come) {
      auto again = headed(number_, how.ticket);
      answer = ask(*queue_methods().fetch, again, {how.ticket, forever(), waiting, true});
      outcome = outcome_of(answer);
    }
    if (outcome == queue_outcome::shut_down) raise_shut_down();
    if (outcome != queue_outcome::done) return false;
    const bool is_kept = answer.pages.empty();
    wire::Decoder in(answer);
    in(outcome);
    try {
      decode(in);
    } catch (...) {  // nor can the next one read it
      if (is_kept) confirm(how);
      throw;
    }
    if (is_kept) confirm(how);
    return true;
  });
}

void QueueHandle::task_done() const {
  check();
  const auto outcome = told_of_its_end([&] { return call<&QueueKeeper::task_done>(remote_ptr<QueueKeeper>(keeper_), number_); });
  if (outcome == queue_outcome::too_many)
    throw usage_error("task_done() was called more often than items were put into the queue", "Call it once for each get()");
}

void QueueHandle::join(const QueueWaiting& waiting) const {
  check();
  const Asked how{Queues::here().next_ticket(), forever(), waiting};
  told_of_its_end([&] {
    auto out = headed(number_, how.ticket);
    auto answer = ask(*queue_methods().join, out, how);
    if (outcome_of(answer) == queue_outcome::lost) raise_lost(answer);
  });
}

QueueFacts QueueHandle::facts() const {
  check();
  return told_of_its_end([&] { return call<&QueueKeeper::facts>(remote_ptr<QueueKeeper>(keeper_), number_); });
}

void QueueHandle::shutdown(bool immediate) const {
  check();
  told_of_its_end([&] { call<&QueueKeeper::shutdown>(remote_ptr<QueueKeeper>(keeper_), number_, immediate); });
}

}  // namespace detail
}  // namespace octavo
