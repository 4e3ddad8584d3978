// SPDX-License-Identifier: Apache-2.0
#include "process/intake.hpp"

#include <tuple>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

void Features::raise_missing() { throw usage_error("this endpoint was made without a feature that is asked for (src/features.cpp)"); }

void Intake::damaged(const PeerLink& closed, const std::exception_ptr& why) {
  parts_.calls.fail(why, [&](const PendingCall& call) { return call.to == closed.facts.address; });
}

void Intake::died(const Obituary& death) {
  parts_.calls.fail(std::make_exception_ptr(process_died(death)),
                    [&](const PendingCall& call) { return call.to == death.facts.address && call.life == death.facts.pid; });
}

void Intake::something_changed(bool some_died) {
  parts_.inquirer.fail_lost_calls();
  features_.something_changed();
  if (some_died) parts_.poller.waiters().wake();  // a thread that waits in a collective has nothing pending
  if (parts_.around.links.orphaned())
    parts_.calls.fail(std::make_exception_ptr(gone_error("the program ends: its agent answers no more")), [](const PendingCall&) { return true; });
}

void Intake::go_on() {
  if (!parts_.context.runs_methods()) {
    parts_.executor.run_one();
    return;
  }
  parts_.server.run_callbacks();
  if (const auto root = parts_.context.root(); root != 0) parts_.executor.run_one(root);
}

// While a method waits, only what descends from its call may go on (C-3).
bool Intake::may_go_on() const {
  const auto& [context, executor] = std::tie(parts_.context, parts_.executor);
  if (!context.runs_methods()) return executor.has();
  return context.root() != 0 && executor.has(context.root());
}

}  // namespace octavo::detail
