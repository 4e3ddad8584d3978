// SPDX-License-Identifier: Apache-2.0
// Several mailboxes waited for together.
//
//   switch (octavo::select(jobs, orders)) {                 // 0 or 1: the first that has a message
//     case 0: work(jobs.retrieve()); break;
//     case 1: obey(orders.retrieve()); break;
//   }
//   auto which = octavo::select_for(2s, jobs, orders);      // nothing in time: nullopt
//
// The first in the order of the arguments goes before: name first what is urgent. This process becomes the reader of all of them.
// Threading: any; where several threads read one box, another may have taken the message. Failure: as Mailbox::retrieve.
#pragma once

#include "octavo/base/error.hpp"
#include "octavo/message/mailbox.hpp"

namespace octavo {

template <class... T>
std::optional<std::size_t> select_until(std::chrono::steady_clock::time_point deadline, const Mailbox<T>&... boxes) {
  static_assert(sizeof...(T) != 0, "name the mailboxes to wait for");
  std::size_t which = 0;
  auto first = [&] {
    which = 0;
    return ((boxes.endpoint().has() || (++which, false)) || ...);
  };
  (boxes.as_reader(), ...);
  detail::read_now();  // an urgent one may have come
  if (first()) return which;
  detail::wait_until([&] { return first() || detail::agent_is_gone(); }, deadline);
  if (first()) return which;
  if (detail::agent_is_gone()) throw gone_error("waiting at several mailboxes: the agent of this program is gone");
  return std::nullopt;
}

template <class... T>
[[nodiscard]] std::size_t select(const Mailbox<T>&... boxes) {
  return *select_until(detail::forever(), boxes...);
}

template <class Rep, class Period, class... T>
[[nodiscard]] std::optional<std::size_t> select_for(std::chrono::duration<Rep, Period> time, const Mailbox<T>&... boxes) {
  return select_until(detail::deadline_after(time), boxes...);
}

}  // namespace octavo
