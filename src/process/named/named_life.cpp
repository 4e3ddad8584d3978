// SPDX-License-Identifier: Apache-2.0
#include "process/named/named_life.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

NamedLife::NamedLife(Endpoint& core) : around_(core.around()) {
  if (!around_.named) return;
  keeper_.emplace(around_.self, *around_.named);
  core.server().set_life(*this);
}

void NamedLife::say_unmade(const error& why) { around_.agent.tell(control::Unmade{why.kind(), why.message(), why.cure()}); }

bool NamedLife::begin(std::unique_ptr<Hosted>& object) {
  if (keeper_->home().fresh) return true;  // to be constructed
  try {
    object = keeper_->restore();
    around_.agent.tell(control::Ready{keeper_->generation()});
    return true;
  } catch (const error& e) {
    say_unmade(e);
  } catch (const std::exception& e) {
    say_unmade(io_error("restoring ov://" + keeper_->home().name + ": " + e.what()));
  }
  return false;
}

void NamedLife::constructor_threw() { say_unmade(usage_error("its constructor threw")); }

void NamedLife::destroyed() { around_.agent.tell(control::Bye{false}); }

void NamedLife::save(Hosted& object) {
  keeper_->save(object);
  around_.agent.tell(control::Ready{keeper_->generation()});
}

void NamedLife::before_reply(Hosted& object, bool by_methods_thread) {
  if (!by_methods_thread)
    throw not_supported("the result came from another thread than the one of the object's methods, so its state cannot be saved with it",
                        "Let the method return its value, or be a coroutine");
  save(object);
}

// A caller that had the object woken is on its way, however short the owner wants it to idle.
road::Deadline NamedLife::idle_at(bool called) const {
  constexpr double for_the_first_call = 1;
  const double wanted = keeper_->home().keeping.idle_seconds;
  if (wanted <= 0) return road::never;
  const std::chrono::duration<double> seconds(called ? wanted : std::max(for_the_first_call, wanted));
  return road::Clock::now() + std::chrono::duration_cast<road::Clock::duration>(seconds);
}

void NamedLife::idles() { around_.agent.tell(control::Idle{}); }

// The agent ends, or wants the memory: what is saved now is there at the next call.
void NamedLife::passivate(Hosted* object) {
  try {
    if (object != nullptr) save(*object);
  } catch (const std::exception& e) {
    log_line(std::string(e.what()) + ": it ends with the state that was saved before");
  }
}

}  // namespace octavo::detail
