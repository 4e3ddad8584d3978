// SPDX-License-Identifier: Apache-2.0
// The feature of queues: where those that are made here are kept, and what the keeper hears of others' deaths.
// Threading: any; something_changed() by the thread of methods does something.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "octavo/machine/address.hpp"
#include "process/endpoint.hpp"
#include "process/feature.hpp"

namespace octavo {
class QueueKeeper;
}  // namespace octavo

namespace octavo::detail {

class Queues final : public Feature {
 public:
  explicit Queues(Endpoint& core);
  // This thread's endpoint's. Throws usage_error without a Runtime.
  static Queues& here() { return Endpoint::require().feature<Queues>(); }

  // The keeper of the queues that are made here; made when there is none. Waits.
  Address keeper();
  // A number that no other wait of this endpoint has.
  [[nodiscard]] std::uint64_t next_ticket() noexcept { return tickets_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // This endpoint's object is one; null: no more.
  void keeps(QueueKeeper* keeper) noexcept { keeper_here_ = keeper; }
  void something_changed() override;
  void take(wire::Message& message, const PeerLink& from);
  // The queues that it made end with it.
  void object_destroyed() override;
  // They would be gone with this life of the object.
  [[nodiscard]] bool keeps_awake() const override;

 private:
  Endpoint& core_;
  QueueKeeper* keeper_here_ = nullptr;
  std::atomic<std::uint64_t> tickets_{0};
  mutable std::mutex mutex_;
  std::vector<Address> keepers_;  // one; more where several threads made their first at one moment
};

}  // namespace octavo::detail
