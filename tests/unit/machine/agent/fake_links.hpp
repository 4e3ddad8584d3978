// SPDX-License-Identifier: Apache-2.0
// Links to other agents that keep what is sent over them, and say what the test has them say.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "machine/agent/peers/agent_link.hpp"
#include "machine/agent/peers/talk.hpp"

namespace octavo::agent::fake {

// One end of a link; the test is the other agent.
struct FarAgent {
  road::RelayEvents events;
  std::deque<talk::Notice> heard;
  std::vector<std::uint64_t> opened, refused;
  std::size_t came_with = 0;  // descriptors, with the last
  bool carries_descriptors = false;
  bool carries = false;    // some channels
  bool is_closed = false;  // its other end

  void say(const talk::Notice& notice, std::vector<Fd> with = {}) const { events.control(talk::encode(notice), std::move(with)); }
  template <class Wanted>
  const Wanted* last() const {
    return heard.empty() ? nullptr : std::get_if<Wanted>(&heard.back());
  }
};

class Link final : public AgentLink {
 public:
  explicit Link(std::shared_ptr<FarAgent> far) : far_(std::move(far)) {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() override { far_->is_closed = true; }
  void send(ByteView notice, std::span<const int> descriptors) override {
    far_->heard.push_back(talk::decode(notice));
    far_->came_with = descriptors.size();
  }
  [[nodiscard]] bool carries_descriptors() const override { return far_->carries_descriptors; }
  void open(std::uint64_t channel, road::ShmEnd /*end*/, const road::Doorbell& /*process*/, unsigned /*slot*/) override { far_->opened.push_back(channel); }
  void refuse(std::uint64_t channel) override { far_->refused.push_back(channel); }
  [[nodiscard]] const road::Doorbell& bell() const override { return bell_; }
  [[nodiscard]] bool carries() const override { return far_->carries; }

 private:
  std::shared_ptr<FarAgent> far_;
  road::Doorbell bell_ = road::Doorbell::make_polled();
};

// Opens links, and keeps their far ends in the order in which they were opened.
struct Links {
  OpenAgentLink open = [this](std::unique_ptr<road::Link>, road::RelayEvents events) {
    far.push_back(std::make_shared<FarAgent>());
    far.back()->events = std::move(events);
    return std::make_unique<Link>(far.back());
  };
  std::vector<std::shared_ptr<FarAgent>> far;
};

}  // namespace octavo::agent::fake
