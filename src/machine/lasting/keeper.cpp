// SPDX-License-Identifier: Apache-2.0
// Who keeps the names of a machine: finding its lasting agent, or starting it, while this agent goes on with the rest of its work.
#include <algorithm>

#include "base/start_thread.hpp"
#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {
constexpr int most_lives = 3;     // of the lasting agent, in which one wish is tried
constexpr int most_tries = 1000;  // one that is being killed may take connections for a while, and hear nothing
}  // namespace

// Null: this agent does. Nothing: it is still to be reached.
std::optional<PeerAgent*> Agent::Loop::keeper_of_names(const std::string& machine) {
  Placement where;
  where.machine = machine;
  auto other = agent_of_machine(where);
  if (!other || *other != nullptr) return other;
  if (registry_) return nullptr;
  return lasting_peer();
}

// Its address does not say of which machine it is. It may be ours, if we have not met our lasting agent yet: then that is asked first.
std::optional<PeerAgent*> Agent::Loop::keeper_of(const Address& who, const Requester& requester) {
  const PeerAgent* from = requester.peer();
  auto is = [&](const auto& each) { return each->agent == who.agent || (each->hub && each.get() != from); };
  bool others = keepers_.contains(who.agent) || std::any_of(peers_.begin(), peers_.end(), is);
  return registry_ || lasting_agent_ != 0 || others ? agent_with_id(who.agent, true) : lasting_peer();
}

std::optional<PeerAgent*> Agent::Loop::lasting_peer() const {
  for (const auto& each : peers_)
    if (each->lasting) return each.get();
  return std::nullopt;
}

// It may have to be started, or one that is ending to be waited for: that is done aside.
void Agent::Loop::postpone(std::shared_ptr<Requester> requester, const control::Notice& wish) {
  bool again = requester->tries > 0;
  postponed_.push_back({std::move(requester), wish});
  if (postponed_.size() > 1) return;
  try {
    reaching_ = start_thread<std::jthread>("that reaches the lasting agent", [this, again](const std::stop_token& stop) { reach_keeper(again, stop); });
  } catch (const error& e) {
    refuse_postponed(control::failed(e));
  }
}

void Agent::Loop::reach_keeper(bool again, const std::stop_token& stop) {
  try {
    if (again) daemon::pause(stop);
    auto link = std::make_shared<std::unique_ptr<road::Link>>(daemon::reach(options_.home, options_.machine, stop));
    events_.post([this, link] { greet_keeper(std::move(*link)); });
  } catch (const std::exception& e) {
    events_.post([this, why = control::failed(e)] { refuse_postponed(why); });
  }
}

void Agent::Loop::refuse_postponed(const control::Failed& why) {
  for (auto& each : std::exchange(postponed_, {})) attempt("answering who waits for a lasting agent", [&] { each.requester->answer(why); });
}

void Agent::Loop::greet_keeper(std::unique_ptr<road::Link> link) {
  try {
    meet(std::move(link), options_.machine + ", lasting", false).lasting = true;
  } catch (const std::exception& e) {
    return refuse_postponed(control::failed(e));
  }
  for (auto& each : std::exchange(postponed_, {})) attempt("asking a lasting agent", [&] { fulfil(each.requester, each.wish); });
}

// The lasting agent was lost before it answered. What it had not heard, or may hear twice, the next one is asked.
bool Agent::Loop::try_again(const PeerAgent& lost, const PeerAgent::Asked& asked) {
  bool repeatable = (control::get_if<control::Open>(&asked.wish) != nullptr) || (control::get_if<control::Connect>(&asked.wish) != nullptr) ||
                    (control::get_if<control::Names>(&asked.wish) != nullptr);
  bool unheard = lost.agent == 0;  // its first words would have come before its end
  if (!lost.lasting || !(repeatable || unheard)) return false;
  asked.requester->tries += unheard ? 1 : most_tries / most_lives;
  if (asked.requester->tries > most_tries) return false;
  postpone(asked.requester, asked.wish);
  return true;
}

}  // namespace octavo
