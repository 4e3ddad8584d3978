// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/daemon_finder.hpp"

#include <utility>

#include "base/start_thread.hpp"
#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {
constexpr int most_lives = 3;     // of the lasting agent, in which one request is tried
constexpr int most_tries = 1000;  // one that is being killed may take connections for a while, and hear nothing
}  // namespace

DaemonFinder::DaemonFinder(Surroundings around) : around_(std::move(around)) {}

void DaemonFinder::postpone(RequesterPtr requester, const control::Notice& request) {
  const bool again = requester->tries > 0;
  postponed_.push_back({std::move(requester), request});
  if (postponed_.size() > 1) return;
  try {
    thread_ = start_thread<std::jthread>("that reaches the lasting agent", [this, again](const std::stop_token& stop) { reach(again, stop); });
  } catch (const error& e) {
    refuse_all(control::failed(e));
  }
}

void DaemonFinder::reach(bool again, const std::stop_token& stop) {
  try {
    auto link = std::make_shared<std::unique_ptr<road::Link>>(around_.reach(again, stop));
    around_.post([this, link] { greet(std::move(*link)); });
  } catch (const std::exception& e) {
    around_.post([this, why = control::failed(e)] { refuse_all(why); });
  }
}

void DaemonFinder::refuse_all(const control::Failed& why) {
  for (auto& each : std::exchange(postponed_, {})) attempt("answering who waits for a lasting agent", [&] { each.requester->answer(why); });
}

void DaemonFinder::greet(std::unique_ptr<road::Link> link) {
  try {
    around_.met(std::move(link));
  } catch (const std::exception& e) {
    return refuse_all(control::failed(e));
  }
  for (auto& each : std::exchange(postponed_, {})) attempt("asking a lasting agent", [&] { around_.fulfil(each.requester, each.request); });
}

bool DaemonFinder::ask_again(const PeerAgent& lost, const PeerAgent::Asked& asked) {
  const bool repeatable = control::get_if<control::Open>(&asked.request) != nullptr || control::get_if<control::Connect>(&asked.request) != nullptr ||
                          control::get_if<control::Names>(&asked.request) != nullptr || control::get_if<control::MailboxRequest>(&asked.request) != nullptr;
  const bool unheard = lost.id == 0;  // its first words would have come before its end
  if (!lost.is_daemon() || !(repeatable || unheard)) return false;
  asked.requester->tries += unheard ? 1 : most_tries / most_lives;
  if (asked.requester->tries > most_tries) return false;
  postpone(asked.requester, asked.request);
  return true;
}

}  // namespace octavo::agent
