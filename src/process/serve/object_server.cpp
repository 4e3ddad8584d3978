// SPDX-License-Identifier: Apache-2.0
#include "process/serve/object_server.hpp"

#include <time.h>

#include <cstdint>
#include <cstdio>

#include "machine/spawn.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/unknown_method.hpp"
#include "process/sending/pages.hpp"
#include "process/serve/lent_reading.hpp"
#include "process/serve/published_call.hpp"
#include "process/serve/reply.hpp"

namespace octavo::detail {

namespace {
// Of the kernel's timer, some milliseconds apart; costs a few nanoseconds. A test's clock where there is one: its schedules are to come again.
std::int64_t tick(const Surroundings& around) noexcept {
  if (around.clock != nullptr) return around.now().time_since_epoch() / std::chrono::milliseconds(1);
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}
}  // namespace

ObjectServer::ObjectServer(const Surroundings& around, Poller& poller, CallContext& context, ServedCalls& served, Executor& executor, const Replies& replies,
                           Beside beside)
    : around_(around),
      poller_(poller),
      context_(context),
      served_(served),
      executor_(executor),
      replies_(replies),
      beside_(std::move(beside)),
      small_(around, poller, context, served, executor, replies, methods_) {}

// What pump() has heard of after the loop of serve() looked: nobody rings again.
bool ObjectServer::must_end() const { return around_.links.orphaned() || (asked_to_passivate() && object_ != nullptr); }

void ObjectServer::serve() {
  poller_.waiters().serve_here();
  const bool is_there = life_ == nullptr || life_->begin(object_);
  bool passivating = !is_there;  // what could not be restored keeps its name and its states
  ended_ = ended_ || !is_there;
  auto idle_until = idle_at(false);
  while (!ended_ && !around_.links.orphaned()) {
    if (asked_to_passivate() && (passivating = object_ != nullptr)) break;
    if (object_ && life_ == nullptr && !took_long_ && small_.serve_one(*object_)) {
      small_.await_next();
      continue;
    }
    delay_point("server: about to read");
    served_.read_ahead(std::exchange(took_long_, false));
    poller_.pump();
    served_.read_ahead(false);
    const bool ran = run_next();
    // In turns: neither calls nor coroutines that wait to go on starve the other.
    if (executor_.run_one() || ran) {
      idle_until = idle_at();
    } else if (!poller_.sleep([this] { return executor_.has() || must_end(); }, idle_until)) {
      if (life_ != nullptr && beside_.is_idle()) life_->idles();
      idle_until = idle_at();
    }
  }
  if (passivating && life_ != nullptr) life_->passivate(object_.get());
  if (!around_.links.orphaned()) say_goodbye(passivating);
}

bool ObjectServer::run_next() {
  if (auto* call = served_.in_place()) {
    run(*call);
    served_.free_call_buffer();
    return true;
  }
  auto next = served_.next();
  if (next) run(*next);
  return next.has_value();
}

void ObjectServer::run_callbacks() {
  while (auto call = served_.next_callback()) run(*call);
}

void ObjectServer::take_call(wire::Message& message, const PeerLink& from) {
  if (!from.route) around_.row.count_arrival();  // others have counted it
  served_.take(message, from);
}

void ObjectServer::run(ArrivedCall& arrived) {
  const auto& header = arrived.message.header;
  const Method* method = methods_.find(header.method);
  Reply::Impl call(replies_, arrived, method);
  const Reply reply(call);
  CallContext::Scope scope(context_, header.root, header.flags, call.to_all ? call.to_all : context_.to_all());
  scope.nothing_else_runs(header.root == root_of(arrived.from.caller(), header.call));
  const PublishedCall published(around_.row, header.kind, method);
  const auto begun = tick(around_);
  {
    const ServedCalls::Running running(served_, arrived.from.caller(), header.call);
    try {
      std::optional<LentReading> lent;
      if (!asks_before_reply_) lent.emplace(poller_.waiters(), arrived.message);  // else each answer is this thread's
      run_frame(arrived.message, method, reply);
    } catch (...) {
      if (!object_) {
        ended_ = true;                                     // its constructor threw: there is nothing to serve
        if (life_ != nullptr) life_->constructor_threw();  // first: its name is free when the caller hears
      }
      reply.fail(std::current_exception());
    }
  }
  call.method_is_over();
  took_long_ = took_long_ || tick(around_) != begun;
}

void ObjectServer::check_receiver(const wire::FrameHeader& header) const {
  const auto& mine = around_.self.address;
  if (header.incarnation != mine.incarnation || header.object != mine.object)
    throw gone_error("a call for process " + std::to_string(header.object) + " (incarnation " + std::to_string(header.incarnation) + ") came to another");
}

void ObjectServer::run_frame(wire::Message& message, const Method* method, const Reply& reply) {
  const auto& header = message.header;
  check_receiver(header);
  auto done = [&reply] { reply.value([](wire::Encoder&) {}); };
  switch (header.kind) {
    case wire::frame_kind::destroy: destroy(); return done();
    case wire::frame_kind::save: save(); return done();
    case wire::frame_kind::is_a: check_class(message); return done();
    default: break;
  }
  if (method == nullptr) throw UnknownMethod({header.method, {}, spawn::own_program(), build_id(), header.build});
  if (header.kind == wire::frame_kind::construct) {
    construct(message, *method);
    return done();
  }
  if (!object_ || method->run == nullptr) throw usage_error(method->key + " was called on a process that has no object");
  adopt_pages(around_.pool, message);
  method->run(*object_, message, reply);
}

void ObjectServer::check_class(wire::Message& message) {
  std::string class_name;
  wire::Decoder in(message);
  in(class_name);
  if (!object_) throw usage_error("a process that has no object was asked for its class");
  check_is(*object_, class_name);
}

void ObjectServer::construct(wire::Message& message, const Method& method) {
  if (object_ || method.construct == nullptr) throw usage_error(method.key + " cannot construct here");
  adopt_pages(around_.pool, message);
  object_ = method.construct(message);
  if (life_ == nullptr) return;
  try {
    life_->constructed(*object_);
  } catch (...) {
    object_.reset();
    throw;
  }
}

void ObjectServer::destroy_object(const std::function<void()>& destroyed) {
  if (!object_) return;
  const auto destroy = [&] {
    object_.reset();
    replies_.end_if_forked();  // by the destructor
    if (destroyed) destroyed();
  };
  if (const auto finish = std::exchange(finish_, {})) finish(destroy);
  else destroy();
}

void ObjectServer::destroy() {
  // What comes behind the destructor may take too long: whoever destroys it hears then that it was destroyed, and not that it died.
  std::function<void()> say;
  if (finish_) say = [this] { around_.agent.tell(control::Bye{}); };
  destroy_object(say);
  ended_ = true;
  beside_.destroyed();
  if (life_ != nullptr) life_->destroyed();
}

void ObjectServer::save() {
  if (life_ == nullptr) throw usage_error("the object has no name, so there is no place to save it to", "Make it with ov::named(\"...\").make<Class>(...)");
  if (!object_) throw usage_error("a process that has no object was asked to save it");
  life_->save(*object_);
}

void ObjectServer::peer_died() {
  if (life_ == nullptr || !served_.none() || object_ != nullptr || ended_) return;  // in this order: while a call runs, its thread changes the others
  ended_ = true;
  life_->never_constructed();
}

void ObjectServer::before_reply() {
  if (asks_before_reply_ && object_) life_->before_reply(*object_, context_.runs_methods());
}

void ObjectServer::take_cancel(wire::Message& message, const PeerLink& from) {
  auto dropped = served_.take_back(from.facts.address, message.header.root);
  const bool found = dropped.has_value();
  if (found) {
    around_.row.call_begins();
    around_.row.call_ends();
    Reply::Impl call(replies_, *dropped, methods_.find(dropped->message.header.method));
    Reply(call).fail(std::make_exception_ptr(cancelled("the call was cancelled before it began")));
  }
  const ArrivedCall request{std::move(message), Origin(from, poller_.view().round())};
  Reply::Impl call(replies_, request, nullptr);
  Reply(call).value([found](wire::Encoder& out) { out(found); });
}

road::Deadline ObjectServer::idle_at(bool called) const { return life_ != nullptr && object_ ? life_->idle_at(called) : road::never; }

void ObjectServer::say_goodbye(bool passivating) {
  std::fflush(nullptr);
  // What is still kept must leave first; a peer that is gone does not hold this process.
  auto all_left = [this] {
    auto& view = poller_.view();
    view.refresh(around_.links.version());
    bool left = true;
    for (const auto& link : view) left = (link.connection->lost() || link.connection->flush()) && left;
    return left || around_.links.orphaned();
  };
  around_.sleep(all_left, road::never);
  around_.agent.tell(control::Bye{passivating});
}

}  // namespace octavo::detail
