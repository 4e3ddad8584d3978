// SPDX-License-Identifier: Apache-2.0
// The feature of groups at a member's end: group messages that have come (inbox.hpp), and how they leave. What the layer of groups asks of it is
// octavo/process/detail/member.hpp (group_messages.cpp).
// Threading: any; take() by the reader.
#pragma once

#include "process/endpoint.hpp"
#include "process/member/inbox.hpp"

namespace octavo::detail {

class GroupMember final : public Feature {
 public:
  explicit GroupMember(Endpoint& core) : core_(core), inbox_(core.around().self) {
    core.frames().add<&GroupMember::take>(wire::frame_kind::member, *this);
    core.cycles().set_group_messages(inbox_);
  }
  void take(wire::Message& message, const PeerLink& from);
  void call_to_all_answered(const CallToAll& which, const std::exception_ptr& error) noexcept override;
  [[nodiscard]] bool keeps_awake() const override { return inbox_.keeps(); }
  [[nodiscard]] Inbox& inbox() noexcept { return inbox_; }

 private:
  void answer(const std::shared_ptr<road::Connection>& by, wire::Outgoing& out) const;
  Endpoint& core_;
  Inbox inbox_;
};

}  // namespace octavo::detail
