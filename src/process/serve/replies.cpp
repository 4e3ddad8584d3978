// SPDX-License-Identifier: Apache-2.0
#include "process/serve/replies.hpp"

#include <unistd.h>

#include <cstdio>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/context/frame_facts.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

Replies::Replies(const Surroundings& around, Poller& poller, const Sender& sender, const CallContext& context, Asks asks)
    : around_(around), poller_(poller), sender_(sender), context_(context), asks_(std::move(asks)) {}

void Replies::send(const Origin& to, wire::Outgoing& out) const {
  out.carried.leave_for({to.caller(), to.pid()});
  if (context_.runs_methods()) {
    const BriefReading reading(poller_.waiters(), BriefReading::purpose::to_send);
    if (auto* direct = reading ? to.direct(poller_.view().round()) : nullptr) return send_by(*direct, to.route(), out);
  }
  if (auto connection = to.connection()) return send_by(*connection, to.route(), out);
  if (auto other = around_.links.link_if_there(to.caller(), to.pid())) return send_by(*other->connection, other->route, out);
  if (!around_.links.obituary_of(to.caller()) && !around_.links.orphaned())
    log_line("a reply to call " + std::to_string(out.header.call) + " of process " + std::to_string(to.caller().object) +
             " could not be sent: there is no connection with it, and its agent has not said that it died");
}

// Without the destructors and atexit functions of the process that serves.
void Replies::end_forked(const std::exception_ptr& error) {
  if (error) try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "octavo: a process that a method forked ended with an exception: %s\n", e.what());
    } catch (...) {
      std::fprintf(stderr, "octavo: a process that a method forked ended with an exception\n");
    }
  std::fflush(nullptr);
  ::_exit(error ? 1 : 0);
}

// Where the connection is lost, the caller is dead, of which its agent tells, or its inquiry finds that the connection is (inquiry/).
void Replies::send_by(road::Connection& connection, const std::optional<wire::PageRoute>& route, wire::Outgoing& out) const {
  PagesUnderWay pages(around_.pool, out, route);
  out.seal();
  try {
    delay_point("reply: about to be sent");
    connection.send(out, road::keep_rest);
    sender_.count_sent(frame_bytes(out));
    out.carried.release();
  } catch (const gone_error&) {
    pages.take_back();
  }
}

}  // namespace octavo::detail
