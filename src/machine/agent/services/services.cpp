// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/services.hpp"

#include "base/overloaded.hpp"

namespace octavo::agent {

void Services::take(const RequesterPtr& requester, const control::Notice& notice) const {
  try {
    std::visit(
        overloaded{[&](const control::LifeNotice& of) { life.take(requester, of); },
                   [&](const control::IntroductionNotice& of) { introductions.take(requester, of); },
                   [&](const control::NameNotice& of) { names.take(requester, of); }, [&](const control::MailboxNotice& of) { mailboxes.take(requester, of); },
                   [&](const control::LockNotice& of) { locks.take(requester, of); }, [&](const control::SegmentNotice& of) { segments.take(requester, of); },
                   [](const control::OutcomeNotice&) { refuse_told_to_processes(); }},
        notice);
  } catch (const std::exception& e) {
    if (requester->peer() == nullptr && control::number_of(notice) == 0) throw;  // nobody waits for an answer
    requester->refuse(e);
  }
}

void Services::take_last_word(Child& dead, const control::Notice& notice) const {
  if (const auto* said = control::get_if<control::Bye>(&notice)) life.hear_bye(dead, *said);
  else if (const auto* ready = control::get_if<control::Ready>(&notice)) names.hear_ready(dead, *ready);
  else if (const auto* why = control::get_if<control::ConstructFailed>(&notice)) names.hear_construct_failed(dead, *why);
  else if (const auto* of = control::get_if<control::LockRelease>(&notice)) locks.release(dead, *of);
}

}  // namespace octavo::agent
