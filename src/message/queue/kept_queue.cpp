// SPDX-License-Identifier: Apache-2.0
#include "message/queue/kept_queue.hpp"

#include <algorithm>

#include "octavo/base/log.hpp"
#include "octavo/machine/address.hpp"

namespace octavo::detail {

namespace {

void answer(const Reply& reply, queue_outcome outcome) { reply.plain(&outcome, sizeof outcome); }

void tell_of_loss(const Reply& reply, const Obituary& obituary) {
  reply.value([&](wire::Encoder& out) {
    out(queue_outcome::lost);
    out(obituary);
  });
}

// Those that `which` says leave the list, each answered.
template <class List, class Which, class Answer>
void take_out(List& list, const Which& which, const Answer& told) {
  for (auto at = list.begin(); at != list.end();) {
    if (!which(*at)) {
      ++at;
      continue;
    }
    const auto gone = std::move(*at);
    at = list.erase(at);
    told(gone);
  }
}

}  // namespace

QueuedItem::QueuedItem(wire::Message call, std::size_t skipped) : message_(std::move(call)), skipped_(skipped) {
  const auto pending = std::exchange(message_.pending_bulk, nullptr);
  while (pending != nullptr && pending->next_size() != 0) pending->read(message_.bulk.emplace_back(pending->next_size()).span());
}

void QueuedItem::give(wire::Encoder& out) {
  const auto body = message_.body.span().subspan(skipped_);
  out.put(body.data(), body.size());
  for (const auto& each : message_.bulk) out.put_bulk(each.span().data(), each.size());
  for (const auto& page : std::exchange(message_.pages, {})) out.put_page(page, message_.keeper);
}

KeptQueue::~KeptQueue() {
  try {
    answer_all(queue_outcome::ended);
  } catch (const std::exception& e) {  // then its callers hear of the death
    log_line(std::string("those that wait at a queue could not be told that it ends: ") + e.what());
  }
}

void KeptQueue::answer_all(queue_outcome outcome) {
  for (const auto& each : std::exchange(gets_, {})) answer(each.reply, outcome);
  for (const auto& each : std::exchange(joins_, {})) answer(each.reply, outcome);
  for (const auto& each : std::exchange(puts_, {})) answer(each.by.reply, outcome);
}

void KeptQueue::add(QueuedItem item) {
  items_.push_back(std::move(item));
  ++unfinished_;
}

// The item lives until the answer was sent: what did not fit the way was copied. The thread that sends may read meanwhile, and hear that this, or another, was
// read.
void KeptQueue::give(const QueueTicket& to, QueuedItem item, const Reply& reply) {
  const auto send = [&reply](QueuedItem& what) {
    reply.value([&](wire::Encoder& out) {
      out(queue_outcome::done);
      what.give(out);
    });
  };
  ++taken_[to.who];
  if (!item.may_stay()) return send(item);
  given_.push_back({to, std::move(item)});
  const auto given = std::prev(given_.end());
  send(given->item);
  given->sent = true;
  if (given->read) given_.erase(given);
}

void KeptQueue::confirm(const QueueTicket& ticket) {
  const auto given = std::find_if(given_.begin(), given_.end(), [&](const Given& each) { return each.to == ticket; });
  if (given == given_.end()) return;
  given->read = true;
  if (given->sent) given_.erase(given);
}

// As long as somebody can go on.
void KeptQueue::settle() {
  for (;;) {
    if (!gets_.empty() && !items_.empty()) {
      const auto next = std::move(gets_.front());
      gets_.pop_front();
      promised_.push_back({next.ticket, std::move(items_.front())});
      items_.pop_front();
      answer(next.reply, queue_outcome::come);
    } else if (!puts_.empty() && has_room()) {
      auto next = std::move(puts_.front());
      puts_.pop_front();
      add(std::move(next.item));
      answer(next.by.reply, queue_outcome::done);
    } else {
      break;
    }
  }
  if (!shut_down_ || !items_.empty()) return;
  for (const auto& each : std::exchange(gets_, {})) answer(each.reply, queue_outcome::shut_down);
}

void KeptQueue::put(const QueueTicket& ticket, QueuedItem item, const Reply& reply) {
  if (shut_down_) return answer(reply, queue_outcome::shut_down);
  if (has_room() && puts_.empty()) {
    add(std::move(item));
    answer(reply, queue_outcome::done);
    if (!gets_.empty()) settle();
  } else if (!ticket.waits()) {
    answer(reply, queue_outcome::not_now);
  } else {
    puts_.push_back({{ticket, reply.kept()}, std::move(item)});
  }
}

void KeptQueue::get(const QueueTicket& ticket, const Reply& reply) {
  if (!items_.empty()) {
    auto item = std::move(items_.front());
    items_.pop_front();
    give(ticket, std::move(item), reply);
    if (!puts_.empty()) settle();
  } else if (shut_down_) {
    answer(reply, queue_outcome::shut_down);
  } else if (!ticket.waits()) {
    answer(reply, queue_outcome::not_now);
  } else {
    gets_.push_back({ticket, reply.kept()});
  }
}

void KeptQueue::fetch(const QueueTicket& ticket, const Reply& reply) {
  const auto found = std::find_if(promised_.begin(), promised_.end(), [&](const Promised& each) { return each.to == ticket; });
  if (found == promised_.end()) return answer(reply, shut_down_ ? queue_outcome::shut_down : queue_outcome::not_now);
  auto item = std::move(found->item);
  promised_.erase(found);
  give(ticket, std::move(item), reply);
  settle();
}

void KeptQueue::join(const QueueTicket& ticket, const Reply& reply) {
  if (const auto lost = std::exchange(lost_, nullptr)) return tell_of_loss(reply, *lost);
  if (unfinished_ == 0) return answer(reply, queue_outcome::done);
  joins_.push_back({ticket, reply.kept()});
}

// The first of those that were promised, or given, is the first in the queue again. Gives how many.
template <class List>
std::uint64_t KeptQueue::take_back(List& from, const std::function<bool(const QueueTicket&)>& whose) {
  std::uint64_t count = 0;
  for (auto at = from.end(); at != from.begin();) {
    if (!whose((--at)->to)) continue;
    items_.push_front(std::move(at->item));
    at = from.erase(at);
    ++count;
  }
  return count;
}

void KeptQueue::withdraw(const QueueTicket& ticket, bool gives_back) {
  const auto waits = [&](const Waiting& each) { return each.ticket == ticket; };
  const auto not_now = [](const Waiting& each) { answer(each.reply, queue_outcome::not_now); };
  take_out(gets_, waits, not_now);
  take_out(joins_, waits, not_now);
  take_out(
      puts_, [&](const WaitingPut& each) { return waits(each.by); }, [&](const WaitingPut& each) { not_now(each.by); });
  if (gives_back) take_back(promised_, [&](const QueueTicket& each) { return each == ticket; });
  settle();
}

void KeptQueue::put_back(const QueueTicket& ticket, QueuedItem item) {
  confirm(ticket);
  if (auto taken = taken_.find(ticket.who); taken != taken_.end() && taken->second != 0) --taken->second;
  items_.push_front(std::move(item));
  settle();
}

void KeptQueue::finish_some(std::uint64_t tasks) {
  unfinished_ -= std::min(tasks, unfinished_);
  if (unfinished_ != 0) return;
  for (const auto& each : std::exchange(joins_, {})) answer(each.reply, queue_outcome::done);
}

queue_outcome KeptQueue::task_done(const Address& who) {
  if (unfinished_ == 0) return queue_outcome::too_many;
  if (auto taken = taken_.find(who); taken != taken_.end() && taken->second != 0) --taken->second;
  finish_some(1);
  return queue_outcome::done;
}

void KeptQueue::shutdown(bool immediate) {
  shut_down_ = true;
  for (const auto& each : std::exchange(puts_, {})) answer(each.by.reply, queue_outcome::shut_down);
  if (immediate) {
    const auto dropped = size();
    items_.clear();
    promised_.clear();
    std::erase_if(given_, [](const Given& each) { return each.sent; });
    finish_some(dropped);
  }
  settle();
}

void KeptQueue::add_users(std::set<Address>& users) const {
  for (const auto& each : gets_) users.insert(each.ticket.who);
  for (const auto& each : joins_) users.insert(each.ticket.who);
  for (const auto& each : puts_) users.insert(each.by.ticket.who);
  for (const auto& each : promised_) users.insert(each.to.who);
  for (const auto& [who, count] : taken_) users.insert(who);
}

void KeptQueue::reap(const Address& who, const Obituary& obituary) {
  const auto is_of = [&](const QueueTicket& ticket) { return ticket.who == who; };
  const auto waits = [&](const Waiting& each) { return is_of(each.ticket); };
  const auto not_now = [](const Waiting& each) { answer(each.reply, queue_outcome::not_now); };  // nobody hears it
  take_out(gets_, waits, not_now);
  take_out(joins_, waits, not_now);
  take_out(
      puts_, [&](const WaitingPut& each) { return waits(each.by); }, [&](const WaitingPut& each) { not_now(each.by); });
  take_back(promised_, is_of);
  auto& has = taken_[who];
  has -= std::min(has, take_back(given_, is_of));
  if (const auto taken = taken_.extract(who); !taken.empty() && taken.mapped() != 0 && unfinished_ > size()) {
    const auto lost = std::min(taken.mapped(), unfinished_ - size());
    if (joins_.empty()) lost_ = std::make_unique<Obituary>(obituary);
    for (const auto& each : std::exchange(joins_, {})) tell_of_loss(each.reply, obituary);
    finish_some(lost);
  }
  settle();
}

}  // namespace octavo::detail
