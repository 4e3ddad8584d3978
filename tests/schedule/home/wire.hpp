// SPDX-License-Identifier: Apache-2.0
// The link of two agents: what each says lies there until it is delivered.
//
//   Wire wire;
//   auto near = wire.end(0, std::move(events)), far = wire.end(1, std::move(its_events));
//   if (wire.waits_for(1)) wire.deliver(1);      // one notice, or at last that the other end is closed
//
// Threading: one.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "machine/agent/peers/agent_link.hpp"

namespace octavo::schedule {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  std::unique_ptr<agent::AgentLink> end(std::size_t side, road::RelayEvents events) {
    sides_[side].events = std::move(events);
    return std::make_unique<End>(shared_from_this(), side);
  }
  [[nodiscard]] bool waits_for(std::size_t side) const {
    const auto& here = sides_[side];
    return !here.closed && (!here.notices.empty() || (sides_[1 - side].closed && !here.heard_the_end));
  }
  // One end is closed, and the other has not heard of it.
  [[nodiscard]] bool is_cut() const { return sides_[0].closed || sides_[1].closed; }
  void deliver(std::size_t side) {
    auto& here = sides_[side];
    if (here.notices.empty()) {
      here.heard_the_end = true;
      return here.events.lost("its agent is gone");
    }
    const auto notice = std::move(here.notices.front());
    here.notices.pop_front();
    here.events.control(notice, {});
  }

 private:
  struct Side {
    road::RelayEvents events;
    std::deque<std::vector<std::byte>> notices;
    bool closed = false, heard_the_end = false;
  };
  class End final : public agent::AgentLink {
   public:
    End(std::shared_ptr<Wire> wire, std::size_t side) : wire_(std::move(wire)), side_(side) {}
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() override { wire_->sides_[side_].closed = true; }
    void send(ByteView notice, std::span<const int> /*descriptors*/) override { wire_->sides_[1 - side_].notices.emplace_back(notice.begin(), notice.end()); }
    void open(std::uint64_t /*channel*/, road::ShmEnd /*end*/, const road::Doorbell& /*process*/, unsigned /*slot*/) override {}
    void refuse(std::uint64_t /*channel*/) override {}
    [[nodiscard]] const road::Doorbell& bell() const override { return bell_; }

   private:
    const std::shared_ptr<Wire> wire_;
    const std::size_t side_;
    const road::Doorbell bell_ = road::Doorbell::make_polled();
  };
  std::array<Side, 2> sides_;
};

}  // namespace octavo::schedule
