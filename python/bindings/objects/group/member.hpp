// SPDX-License-Identifier: Apache-2.0
// octavo._core.Member: a Python object in one of its groups, and the collectives of it. What octavo.Member is to users is in octavo/objects/groups/member.py.
//
// Threading: of the object's methods, with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

#include "lock.hpp"
#include "objects/exchange.hpp"
#include "objects/host.hpp"
#include "objects/turn.hpp"
#include "octavo/group/detail/membership.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace octavo::bindings {

// Throws usage_error where this thread is none of the member's object.
void check_thread(const detail::Membership& in);

// What a member does together with others: while it waits for them, others run Python, and have the turn.
template <class Work>
auto wait_as_member(Work work) {
  try {
    warn_of_event_loop();
    const TurnGivenUp given_up;
    const Unlocked unlocked;
    const detail::Visit visit;
    return work();
  } catch (const PythonRaised& raised) {
    raise_in_python(raised);
  }
}

void add_member(nanobind::module_& m);

}  // namespace octavo::bindings
