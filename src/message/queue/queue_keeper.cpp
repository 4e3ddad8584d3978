// SPDX-License-Identifier: Apache-2.0
#include "message/queue/queue_keeper.hpp"

#include "message/queue/queues.hpp"
#include "process/endpoint.hpp"

namespace octavo {

using namespace detail;

namespace {

Address caller_here() { return Endpoint::require().served().running_caller(); }

}  // namespace

QueueKeeper::QueueKeeper() : feature_(Queues::here()) { feature_.keeps(this); }
// Where the Runtime ends no endpoint is in force any more.
QueueKeeper::~QueueKeeper() { feature_.keeps(nullptr); }

KeptQueue& QueueKeeper::find(std::uint64_t queue) {
  const auto found = queues_.find(queue);
  if (found == queues_.end()) throw gone_error("there is no queue " + std::to_string(queue) + " here");
  return found->second;
}

std::uint64_t QueueKeeper::make(std::uint64_t bound) {
  queues_.try_emplace(++last_, bound);
  return last_;
}

void QueueKeeper::withdraw(std::uint64_t queue, std::uint64_t ticket, bool gives_back) {
  change(queue, [&](KeptQueue& kept) { kept.withdraw({caller_here(), ticket}, gives_back); });
}

queue_outcome QueueKeeper::task_done(std::uint64_t queue) {
  auto outcome = queue_outcome::done;
  change(queue, [&](KeptQueue& kept) { outcome = kept.task_done(caller_here()); });
  return outcome;
}

QueueFacts QueueKeeper::facts(std::uint64_t queue) {
  const auto& of = find(queue);
  return {of.size(), of.unfinished(), of.is_shut_down()};
}

void QueueKeeper::shutdown(std::uint64_t queue, bool immediate) {
  change(queue, [&](KeptQueue& kept) { kept.shutdown(immediate); });
}

void QueueKeeper::put(std::uint64_t queue, std::uint64_t ticket, QueuedItem item, const Reply& reply) {
  change(queue, [&](KeptQueue& kept) { kept.put({caller_here(), ticket}, std::move(item), reply); });
}

void QueueKeeper::get(std::uint64_t queue, std::uint64_t ticket, const Reply& reply) {
  change(queue, [&](KeptQueue& kept) { kept.get({caller_here(), ticket}, reply); });
}

void QueueKeeper::fetch(std::uint64_t queue, std::uint64_t ticket, const Reply& reply) {
  change(queue, [&](KeptQueue& kept) { kept.fetch({caller_here(), ticket}, reply); });
}

void QueueKeeper::join(std::uint64_t queue, std::uint64_t ticket, const Reply& reply) {
  change(queue, [&](KeptQueue& kept) { kept.join({caller_here(), ticket}, reply); });
}

void QueueKeeper::put_back(std::uint64_t queue, std::uint64_t ticket, QueuedItem item) {
  change(queue, [&](KeptQueue& kept) { kept.put_back({caller_here(), ticket}, std::move(item)); });
}

void QueueKeeper::confirm(std::uint64_t queue, const QueueTicket& ticket) {
  if (const auto found = queues_.find(queue); found != queues_.end()) found->second.confirm(ticket);
}

// The thread that sends an answer may read meanwhile, and hear of a death: it is looked at when nothing of a queue is in hand any more.
template <class Work>
void QueueKeeper::answering(const Work& work) {
  struct Answering {
    bool& is;
    ~Answering() { is = false; }
  };
  const Answering until_done{is_answering_ = true};
  work();
}

template <class Work>
void QueueKeeper::change(std::uint64_t queue, const Work& work) {
  auto& kept = find(queue);
  try {
    answering([&] { work(kept); });
  } catch (...) {
    if (has_heard_) look_for_deaths();
    throw;
  }
  look_at_caller();
}

// A call that is run after its caller's death was heard of: it may wait from now on, or have taken an item.
void QueueKeeper::look_at_caller() {
  if (has_heard_) return look_for_deaths();
  const auto caller = caller_here();
  if (auto obituary = Endpoint::require().around().links.obituary_of(caller)) dying_.try_emplace(caller, std::move(*obituary));
  if (!dying_.empty()) reap_dying();
  if (has_heard_) look_for_deaths();
}

void QueueKeeper::look_for_deaths() {
  has_heard_ = true;
  if (is_answering_) return;
  const auto& links = Endpoint::require().around().links;
  while (std::exchange(has_heard_, false)) {
    std::set<Address> users;
    for (const auto& [number, queue] : queues_) queue.add_users(users);
    for (const auto& each : users)
      if (auto obituary = links.obituary_of(each)) dying_.try_emplace(each, std::move(*obituary));
    reap_dying();
  }
}

// What they had sent before is here, and comes first: it may be the fetching of what they were promised.
void QueueKeeper::reap_dying() {
  answering([&] {
    const auto& served = Endpoint::require().served();
    for (auto at = dying_.begin(); at != dying_.end();) {
      if (served.has_from(at->first)) {
        ++at;
        continue;
      }
      for (auto& [number, queue] : queues_) queue.reap(at->first, at->second);
      at = dying_.erase(at);
    }
  });
}

namespace detail {

namespace {

// What all of these calls begin with.
struct Head {
  std::uint64_t queue = 0, ticket = 0;
};

template <class Work>
void with_head(Hosted& object, wire::Message& message, const Work& work) {
  Head head;
  wire::Decoder in(message);
  in(head);
  work(*static_cast<QueueKeeper*>(view_as(object, typeid(QueueKeeper), type_name<QueueKeeper>())), head);
}
void run_put(Hosted& object, wire::Message& message, const Reply& reply) {
  with_head(object, message,
            [&](QueueKeeper& keeper, const Head& head) { keeper.put(head.queue, head.ticket, QueuedItem(std::move(message), sizeof head), reply); });
}
void run_get(Hosted& object, wire::Message& message, const Reply& reply) {
  with_head(object, message, [&](QueueKeeper& keeper, const Head& head) { keeper.get(head.queue, head.ticket, reply); });
}
void run_fetch(Hosted& object, wire::Message& message, const Reply& reply) {
  with_head(object, message, [&](QueueKeeper& keeper, const Head& head) { keeper.fetch(head.queue, head.ticket, reply); });
}
void run_join(Hosted& object, wire::Message& message, const Reply& reply) {
  with_head(object, message, [&](QueueKeeper& keeper, const Head& head) { keeper.join(head.queue, head.ticket, reply); });
}
void run_put_back(Hosted& object, wire::Message& message, const Reply& reply) {
  with_head(object, message, [&](QueueKeeper& keeper, const Head& head) {
    keeper.put_back(head.queue, head.ticket, QueuedItem(std::move(message), sizeof head));
    reply.plain(nullptr, 0);
  });
}

const Method* enter(const char* key, void (*run)(Hosted&, wire::Message&, const Reply&)) {
  Method method;
  method.key = key;
  method.type = &typeid(QueueKeeper);
  method.class_name = type_name<QueueKeeper>();
  method.run = run;
  return register_method(std::move(method));
}
const QueueMethods methods{enter("octavo::QueueKeeper::put", &run_put), enter("octavo::QueueKeeper::get", &run_get),
                           enter("octavo::QueueKeeper::fetch", &run_fetch), enter("octavo::QueueKeeper::join", &run_join),
                           enter("octavo::QueueKeeper::put_back", &run_put_back)};

}  // namespace

const QueueMethods& queue_methods() { return methods; }

}  // namespace detail
}  // namespace octavo
