// SPDX-License-Identifier: Apache-2.0
// The feature of mailboxes and channels: the edges that one endpoint knows, by the number that frames name them by. What comes for one of them is given to it.
// Threading: any; take(), receives_in_place() and something_changed() by the thread that reads the connections.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "octavo/message/detail/channel/edge.hpp"
#include "process/endpoint.hpp"
#include "process/feature.hpp"

namespace octavo::detail {

// Channels have numbers of their own, beside the hashes of names.
[[nodiscard]] constexpr bool is_channel(std::uint64_t edge) noexcept { return (edge >> 63) != 0; }

// By the thread that hears the agent: what it has told an edge is looked at, by whoever reads, or by a server's background sender.
void look_at_edges(Endpoint& core, BackgroundSender& background);
// Its death is told; of another process.
void watch(const Surroundings& around, const Life& who);
void watch_all(const Surroundings& around, const std::vector<LeftBehind>& places);

class Edges final : public Feature {
 public:
  explicit Edges(Endpoint& core);
  ~Edges() override;  // a Mailbox may be there for longer, and the status board not
  // This thread's endpoint's. Throws usage_error without a Runtime.
  static Edges& here() { return Endpoint::require().feature<Edges>(); }

  // The edge of this number; made by `make` when there is none. As they grow many, those of mailboxes that nobody uses any more are forgotten.
  std::shared_ptr<EdgeBase> open(std::uint64_t id, const std::function<std::shared_ptr<EdgeBase>()>& make);

  // Null: there is none.
  std::shared_ptr<EdgeBase> find(std::uint64_t id);
  // A number that no other channel of the program has.
  std::uint64_t new_channel();
  // It is over: what comes for it is dropped.
  void forget(std::uint64_t id);

  // As the function of the same name in waiting.hpp (take_posted.cpp).
  bool take_posted(std::uint64_t edge, Posted& into, const Predicate& here, road::Deadline deadline);

  void take(wire::Message& message, const PeerLink& from);  // a frame of kind post or taken
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header);
  void something_changed() override;
  // What was read here is read no more: its writers are told.
  void object_destroyed() override;
  void ending() override;
  // What lies here would be gone with this life of the object.
  [[nodiscard]] bool keeps_awake() const override;

  static constexpr std::size_t fewest_to_look_at = 64;
  [[nodiscard]] std::size_t known() const;

 private:
  enum class lane_wait : std::uint8_t { for_last_writer, for_all, for_all_after_a_look, not_at_all };
  [[nodiscard]] lane_wait how_to_wait(const Predicate& here, road::Deadline deadline) const;
  road::took_small take_next(std::uint64_t edge, Posted& into);
  road::took_small take_from(std::size_t at, std::uint64_t edge, Posted& into);
  bool take_whole(const PeerLink& from, std::uint64_t edge, Posted& into);
  bool take_receipt(const PeerLink& from);
  void hear_receipt(std::uint64_t edge, const Receipt& receipt, const Life& from);
  void forget_unused();
  [[nodiscard]] std::vector<std::shared_ptr<EdgeBase>> all() const;

  Endpoint& core_;
  const Surroundings around_;
  Poller& poller_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<EdgeBase>> edges_;
  std::size_t look_at_ = fewest_to_look_at;  // when there are so many: which of them are used?
  std::atomic<std::uint64_t> channels_made_{0};
  LinkView::Position last_writer_;  // from where the last message came
};

}  // namespace octavo::detail
