// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/services.hpp"

#include "base/overloaded.hpp"

namespace octavo::agent {

namespace {

void take_last(LifeService& life, Child& dead, const control::LifeNotice& notice) {
  using namespace control;
  std::visit(overloaded{[&](const Bye& said) { life.hear_bye(dead, said); }, nothing_for<Welcome, Spawn, Host, Kill, List, Listing, AskFacts, Facts>{}},
             notice);
}

void take_last(NameService& names, Child& dead, const control::NameNotice& notice) {
  using namespace control;
  std::visit(overloaded{[&](const Ready& said) { names.hear_ready(dead, said); }, [&](const ConstructFailed& why) { names.hear_construct_failed(dead, why); },
                        nothing_for<Open, Idle, Passivate, Names, NameList, Rollback, EndLasting, Forget>{}},
             notice);
}

void take_last(Locks& locks, const Child& dead, const control::LockNotice& notice) {
  using namespace control;
  std::visit(overloaded{[&](const LockRelease& said) { locks.release(dead, said); }, nothing_for<OpenLock, LockAt, LockRequest, LockAnswer, LockRecall>{}},
             notice);
}

}  // namespace

void Services::take(const RequesterPtr& requester, const control::Notice& notice) const {
  try {
    std::visit(
        overloaded{
            [&](const control::LifeNotice& of) { life.take(requester, of); }, [&](const control::IntroductionNotice& of) { introductions.take(requester, of); },
            [&](const control::NameNotice& of) { names.take(requester, of); }, [&](const control::MailboxNotice& of) { mailboxes.take(requester, of); },
            [&](const control::LockNotice& of) { locks.take(requester, of); }, [&](const control::SegmentNotice& of) { segments.take(requester, of); },
            [&](const control::ChannelNotice& of) { channels.take(requester, of); }, [&](const control::HomeLockNotice& of) { home_locks.take(requester, of); },
            [&](const control::HomeSegmentNotice& of) { home_segments.take(requester, of); },
            [](const control::OutcomeNotice&) { refuse_told_to_processes(); }},
        notice);
  } catch (const std::exception& e) {
    if (requester->peer() == nullptr && control::number_of(notice) == 0) throw;  // nobody waits for an answer
    requester->refuse(e);
  }
}

void Services::take_last_word(Child& dead, const control::Notice& notice) const {
  using namespace control;
  std::visit(overloaded{[&](const LifeNotice& of) { take_last(life, dead, of); }, [&](const NameNotice& of) { take_last(names, dead, of); },
                        [&](const LockNotice& of) { take_last(locks, dead, of); }, [&](const ChannelNotice& of) { channels.hear_last(dead.facts, of); },
                        nothing_for<IntroductionNotice, MailboxNotice, OutcomeNotice, SegmentNotice, HomeLockNotice, HomeSegmentNotice>{}},
             notice);
}

}  // namespace octavo::agent
