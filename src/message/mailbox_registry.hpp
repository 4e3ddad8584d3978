// SPDX-License-Identifier: Apache-2.0
// The feature of mailboxes: the mailboxes that one endpoint knows, by name. What comes for one of them is given to it.
// Threading: any; take(), receives_in_place() and something_changed() by the thread that reads the connections.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "octavo/message/detail/mailbox_endpoint.hpp"
#include "process/endpoint.hpp"
#include "process/feature.hpp"

namespace octavo::detail {

class MailboxRegistry final : public Feature {
 public:
  explicit MailboxRegistry(Endpoint& core);
  // This thread's endpoint's. Throws usage_error without a Runtime.
  static MailboxRegistry& here() { return Endpoint::require().feature<MailboxRegistry>(); }

  std::shared_ptr<MailboxEndpointBase> open(const std::string& name, std::string_view type, const std::function<std::shared_ptr<MailboxEndpointBase>()>& make);
  // Asks the agent, which answers at once or when a process reads the mailbox: then calls mailbox->reader_found(). `lost`: a reader that is gone.
  void find_reader(const std::shared_ptr<MailboxEndpointBase>& mailbox, const Life& lost);

  // As the function of the same name in mailbox_endpoint.hpp (take_posted.cpp).
  bool take_posted(std::uint64_t mailbox, Posted& into, const Predicate& here, road::Deadline deadline);

  void take(wire::Message& message, const PeerLink& from);  // a frame of kind post or taken
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header);
  void something_changed() override;
  // What was read here is read no more: its posters are told.
  void object_destroyed() override;
  void ending() override;
  // What lies here would be gone with this life of the object.
  [[nodiscard]] bool keeps_awake() const override;

 private:
  enum class lane_wait : std::uint8_t { for_last_poster, for_all, for_all_after_a_look, not_at_all };
  [[nodiscard]] lane_wait how_to_wait(const Predicate& here, road::Deadline deadline) const;
  road::took_small take_next(std::uint64_t mailbox, Posted& into);
  road::took_small take_from(std::size_t at, std::uint64_t mailbox, Posted& into);
  bool take_whole(const PeerLink& from, std::uint64_t mailbox, Posted& into);
  bool take_receipt(const PeerLink& from);
  void hear_receipt(std::uint64_t mailbox, std::uint64_t messages, std::uint64_t bytes, const Address& reader);
  std::shared_ptr<MailboxEndpointBase> find(std::uint64_t id);
  [[nodiscard]] std::vector<std::shared_ptr<MailboxEndpointBase>> all() const;

  Endpoint& core_;
  const Surroundings around_;
  Poller& poller_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<MailboxEndpointBase>> mailboxes_;  // by what frames name them by
  LinkView::Position last_poster_;                                           // from where a mailbox's last message came
};

}  // namespace octavo::detail
