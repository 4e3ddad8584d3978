// SPDX-License-Identifier: Apache-2.0
#include "message/queue/queues.hpp"

#include "message/queue/queue_keeper.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

Queues::Queues(Endpoint& core) : core_(core) { core.frames().add<&Queues::take>(wire::frame_kind::has_item, *this); }

Address Queues::keeper() {
  {
    const std::lock_guard lock(mutex_);
    if (!keepers_.empty()) return keepers_.front();
  }
  const auto made = thread.make<QueueKeeper>();  // without the lock: this thread may be called back meanwhile
  const std::lock_guard lock(mutex_);
  keepers_.push_back(made.address());
  return made.address();
}

void Queues::something_changed() {
  if (keeper_here_ != nullptr && core_.context().runs_methods()) keeper_here_->look_for_deaths();
}

void Queues::take(wire::Message& message, const PeerLink& from) {
  if (keeper_here_ != nullptr) keeper_here_->confirm(message.header.method, {from.facts.address, message.header.call});
}

bool Queues::keeps_awake() const {
  const std::lock_guard lock(mutex_);
  return !keepers_.empty();
}

void Queues::object_destroyed() {
  const std::lock_guard lock(mutex_);
  for (const auto& each : std::exchange(keepers_, {})) try {
      begin_destroy(std::make_shared<State<void>>(), each);
    } catch (const error& e) {
      log_line(std::string("the queues of an object that was destroyed end with its process: ") + e.what());
    }
}

}  // namespace octavo::detail
