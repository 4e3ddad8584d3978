// SPDX-License-Identifier: Apache-2.0
#include "process/endpoint.hpp"

#include <algorithm>

#include "process/errors/loss.hpp"
#include "process/forked.hpp"

namespace octavo::detail {

Endpoint::Endpoint(const Surroundings& around, runtime_reach reach, const FeatureList& features)
    : around_(around),
      reach_(reach),
      poller_(around_, *this),
      sender_(around_, poller_, context_,
              [this] {
                const Use mine(*this);
                tell_features();
              }),
      executor_(std::make_shared<Executor>(Executor::Home{poller_.waiters(), context_, around_.row})),
      calls_(around_, poller_, sender_, context_, [this](StateBase& state, road::Deadline deadline) { return cycles_.wait_for(state, deadline); }),
      served_(context_, poller_),
      cycles_(around_, poller_, calls_, context_, served_, executor_),
      loop_waits_(poller_.waiters(),
                  [this](const std::function<bool()>& done) {
                    const Use mine(*this);
                    poller_.wait(done, road::never);
                  }),
      replies_(around_, poller_, sender_, context_,
               {[this](std::uint64_t root, bool before) { return cycles_.others_may_run(root, before); },
                [this](const Address& caller, std::uint64_t call, const std::shared_ptr<StateBase>& result) { cycles_.unanswered().add(caller, call, result); },
                [this] { server_.before_reply(); },
                [this](const CallToAll& which, const std::exception_ptr& error) {
                  for (const auto& each : features_) each.feature->call_to_all_answered(which, error);
                }}),
      inquirer_(around_, poller_.waiters(), calls_, sender_, served_, replies_.owed()),
      server_(around_, poller_, context_, served_, *executor_, replies_,
              {[this] { return is_idle(); },
               [this] {
                 for (const auto& each : features_) each.feature->object_destroyed();
               }}),
      progress_(poller_.waiters(), [this](const std::function<bool()>& give_way) {
        const Use mine(*this);  // what runs here belongs to this endpoint
        poller_.read_until(give_way, road::never);
      }) {
  cycles_.set_loop_waits(loop_waits_);
  using wire::frame_kind;
  for (const auto kind : {frame_kind::reply, frame_kind::error}) frames_.add<&MadeCalls::take>(kind, calls_);
  for (const auto kind : {frame_kind::call, frame_kind::construct, frame_kind::destroy, frame_kind::save, frame_kind::is_a})
    frames_.add<&ObjectServer::take_call>(kind, server_);
  frames_.add_in_place<&ObjectServer::receives_in_place>(frame_kind::call, server_);
  frames_.add<&ObjectServer::take_cancel>(frame_kind::cancel, server_);
  frames_.add<&CycleFinder::take>(frame_kind::probe, cycles_);
  frames_.add<&Inquirer::take>(frame_kind::inquiry, inquirer_);
  for (const auto& each : features) features_.push_back({each.mark, each.make(*this)});
  come_into_force();
}

void Endpoint::serve() {
  context_.serve_here();
  server_.serve();
}

void Endpoint::end() {
  if (std::exchange(ended_, true)) return;
  if (reach_ == runtime_reach::program) program_ends();
  if (!around_.links.orphaned()) {
    const Use mine(*this);  // what they send is this endpoint's, whichever this thread uses
    for (const auto& each : features_) each.feature->ending();
  }
  sender_.background()->end();
  progress_.end();
  loop_waits_.end();
  calls_.end();
  executor_->close();
  server_.destroy_object();
  replies_.owed()->close();    // what is answered from now on, by threads that live longer, finds nobody
  around_.agent.close();       // a thread that waits for a lock is told, and leaves before the endpoint goes
  around_.links.lose_agent();  // and one that waits at a mailbox, a channel, in a collective or for a promise
  poller_.waiters().wake();
  end_force();
}

void Endpoint::tell_features() {
  for (const auto& each : features_) each.feature->something_changed();
}

// Calls, answers that are owed, and features keep an object awake.
bool Endpoint::is_idle() {
  return served_.none_queued() && calls_.none_waits() && replies_.owed()->size() == 0 && !executor_->has() &&
         std::none_of(features_.begin(), features_.end(), [](const MadeFeature& each) { return each.feature->keeps_awake(); });
}

// --- what the reader meets ---

void Endpoint::damaged(const PeerLink& closed, const std::exception_ptr& why) {
  calls_.fail(why, [&](const PendingCall& call) { return call.to == closed.facts.address; });
}

void Endpoint::died(const Obituary& death) {
  calls_.fail(loss_of(death), [&](const PendingCall& call) { return call.to == death.facts.address && call.life == death.facts.pid; });
  server_.peer_died();
}

void Endpoint::something_changed(bool some_died) {
  inquirer_.fail_lost_calls();
  tell_features();
  if (some_died) poller_.waiters().wake();  // a thread that waits in a collective has nothing pending
  if (around_.links.orphaned())
    calls_.fail(std::make_exception_ptr(gone_error("the program ends: its agent answers no more")), [](const PendingCall&) { return true; });
}

void Endpoint::go_on() {
  if (!context_.runs_methods()) {
    executor_->run_one(context_.serves() ? Executor::no_method : Executor::any_root);
    return;
  }
  server_.run_callbacks();
  if (const auto root = context_.root(); root != 0) executor_->run_one(root);
}

// While a method waits, only what descends from its call may go on (C-3).
bool Endpoint::may_go_on() const {
  if (!context_.runs_methods()) return executor_->has(context_.serves() ? Executor::no_method : Executor::any_root);
  return context_.root() != 0 && executor_->has(context_.root());
}

}  // namespace octavo::detail
