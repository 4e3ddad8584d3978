// SPDX-License-Identifier: Apache-2.0
// The link of two agents: what each says lies there until it is delivered, with the descriptors that came along.
//
//   Wire wire(true);                             // that carries descriptors
//   auto near = wire.end(0, std::move(events)), far = wire.end(1, std::move(its_events));
//   if (wire.waits_for(1)) wire.deliver(1);      // one notice, or at last that the other end is closed
//
// Threading: one.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/passed_descriptors.hpp"
#include "machine/agent/peers/agent_link.hpp"

namespace octavo::schedule {

class Wire : public std::enable_shared_from_this<Wire> {
 public:
  explicit Wire(bool carries_descriptors = false) : carries_descriptors_(carries_descriptors) {}
  std::unique_ptr<agent::AgentLink> end(std::size_t side, road::RelayEvents events) {
    sides_[side].events = std::move(events);
    return std::make_unique<End>(shared_from_this(), side);
  }
  // True: the side that takes the next notice has no descriptor left.
  std::function<bool()> finds_no_room;
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
    auto [notice, with] = std::move(here.notices.front());
    here.notices.pop_front();
    if (finds_no_room && finds_no_room()) with.clear();
    here.events.control(notice, std::move(with));
  }
  // Of the connections that this side was asked to carry.
  [[nodiscard]] const std::set<std::uint64_t>& opened(std::size_t side) const { return sides_[side].opened; }
  [[nodiscard]] const std::set<std::uint64_t>& refused(std::size_t side) const { return sides_[side].refused; }

 private:
  struct Side {
    road::RelayEvents events;
    std::deque<std::pair<std::vector<std::byte>, std::vector<Fd>>> notices;
    std::set<std::uint64_t> opened, refused;
    bool closed = false, heard_the_end = false;
  };
  class End final : public agent::AgentLink {
   public:
    End(std::shared_ptr<Wire> wire, std::size_t side) : wire_(std::move(wire)), side_(side) {}
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() override {
      here().closed = true;
      here().notices.clear();
    }
    void send(ByteView notice, std::span<const int> descriptors) override {
      auto& there = wire_->sides_[1 - side_];
      if (!there.closed) there.notices.emplace_back(std::vector(notice.begin(), notice.end()), PassedDescriptors::keep(descriptors, "the test"));
    }
    [[nodiscard]] bool carries_descriptors() const override { return wire_->carries_descriptors_; }
    void open(std::uint64_t channel, road::ShmEnd /*end*/, const road::Doorbell& /*process*/, unsigned /*slot*/) override { here().opened.insert(channel); }
    void refuse(std::uint64_t channel) override { here().refused.insert(channel); }
    [[nodiscard]] const road::Doorbell& bell() const override { return bell_; }

   private:
    [[nodiscard]] Side& here() const { return wire_->sides_[side_]; }
    const std::shared_ptr<Wire> wire_;
    const std::size_t side_;
    const road::Doorbell bell_ = road::Doorbell::make_polled();
  };
  const bool carries_descriptors_;
  std::array<Side, 2> sides_;
};

}  // namespace octavo::schedule
