// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/guides.hpp"

#include <set>
#include <utility>

#include "base/overloaded.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {

// The agent that alone can fulfil this request; 0: none is known.
std::uint64_t agent_asked_for(const control::Notice& request) {
  using namespace control;
  std::uint64_t agent = 0;
  const overloaded of_life{[&](const Spawn& of) { agent = of.where.beside.agent; }, [&](const Kill& of) { agent = of.who.agent; },
                           nothing_for<Welcome, Host, Bye, List, Listing, AskFacts, Facts>{}};
  const overloaded of_introductions{[&](const Connect& of) { agent = of.to.agent; }, nothing_for<Connected, Died, Watch, Disconnect, Disconnected>{}};
  std::visit(overloaded{[&](const LifeNotice& of) { std::visit(of_life, of); }, [&](const IntroductionNotice& of) { std::visit(of_introductions, of); },
                        nothing_for<NameNotice, MailboxNotice, LockNotice, OutcomeNotice, SegmentNotice, ChannelNotice, HomeLockNotice, HomeSegmentNotice>{}},
             request);
  return agent;
}

}  // namespace

struct Guides::Search {
  RequesterPtr requester;
  control::Notice request;
  PeerAgents::All left;  // the last is asked next
  std::set<std::string> said;
};

void Guides::ask(const RequesterPtr& requester, const control::Notice& request) const {
  auto all = peers_.leading_to(agent_asked_for(request), *requester);
  ask_next(std::make_shared<Search>(Search{requester, request, {all.rbegin(), all.rend()}, {}}));
}

void Guides::ask_next(const std::shared_ptr<Search>& search) const {
  while (!search->left.empty()) {
    const auto next = std::move(search->left.back());
    search->left.pop_back();
    if (next->link) return search->requester->hand_to(*next, search->request, [this, search](const control::Failed& why) { hear(search, why); });
  }
  std::string text = "there is no way from the lasting agent of " + self_.machine + " to agent " + std::to_string(agent_asked_for(search->request)) +
                     ", which no program that is connected here leads to";
  for (const auto& each : search->said) text += (&each == &*search->said.begin() ? ": " : "; ") + each;
  search->requester->refuse(gone_error(text, "Objects of two machines reach each other while a program uses both, whose engine names the other machine"));
}

// One that knows how it ended, or could not do it for another reason, has led there.
void Guides::hear(const std::shared_ptr<Search>& search, const control::Failed& why) const {
  if (why.obituary || why.kind != error_kind::gone) return search->requester->answer(why);
  search->said.insert(why.message);
  ask_next(search);
}

}  // namespace octavo::agent
