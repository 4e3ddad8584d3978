// SPDX-License-Identifier: Apache-2.0
// What a person asks of a lasting agent besides its objects: to go back to the state of one before the last saved, and to end.
#include <signal.h>

#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/registry/state_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

// A process that has the later state is ended first, and saves nothing: that state is what is not wanted.
void Agent::Loop::go_back(const std::shared_ptr<Requester>& requester, const control::GoBack& wish) {
  auto entry = entry_named(wish.name);
  if (auto found = children_.find(entry.object); found != children_.end()) {
    Child& child = found->second;
    if (child.named->fresh) throw refused("ov://" + shown(entry.name) + " is being made: it has no state yet", "Go back when it has been saved twice");
    child.named->later.push_back({requester, wish});
    if (std::exchange(child.named->told_to_rest, true)) return;
    child.named->put_down = true;
    ::kill(child.run.pid, SIGKILL);
    return;
  }
  auto now = restore_previous(registry_->directory(), entry.object);
  registry_->update(entry.object, {.state_version = now.state_version, .generation = now.generation});
  accidents_.erase(entry.object);
  requester->answer(control::Done{});
}

// Null: there is none that could end.
std::optional<PeerAgent*> Agent::Loop::who_ends(const control::EndLasting& wish) {
  auto who = keeper_of_names(wish.machine);
  if (!who && !daemon::is_there(options_.home)) return nullptr;
  return who;
}

void Agent::Loop::end_lasting(const std::shared_ptr<Requester>& requester) {
  if (!registry_) return requester->answer(control::Done{});
  begin_to_retire();  // the end of the link is the answer
}

}  // namespace octavo
