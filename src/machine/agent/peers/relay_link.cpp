// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <utility>

#include "machine/agent/peers/agent_link.hpp"

namespace octavo::agent {

namespace {

class RelayLink final : public AgentLink {
 public:
  RelayLink(std::unique_ptr<road::Link> link, road::RelayEvents events, const road::RelayOptions& options)
      : relay_(std::move(link), counting(std::move(events)), options) {
    relay_.start();
  }
  void send(ByteView notice) override { relay_.send_control(notice); }
  void open(std::uint64_t channel, road::ShmEnd end, const road::Doorbell& process, unsigned slot) override {
    ++open_;
    try {
      relay_.open(channel, std::move(end), process, slot);
    } catch (...) {
      --open_;
      throw;
    }
  }
  void refuse(std::uint64_t channel) override { relay_.refuse(channel); }
  [[nodiscard]] const road::Doorbell& bell() const override { return relay_.bell(); }
  [[nodiscard]] bool carries() const override { return lost_.load() && open_.load() != 0; }

 private:
  road::RelayEvents counting(road::RelayEvents events) {
    events.ended = [this, ended = std::move(events.ended)](std::uint64_t channel) {
      --open_;
      if (ended) ended(channel);
    };
    events.lost = [this, lost = std::move(events.lost)](const std::string& why) {
      lost_.store(true);
      if (lost) lost(why);
    };
    return events;
  }

  std::atomic<std::size_t> open_{0};  // channels
  std::atomic<bool> lost_{false};
  road::Relay relay_;
};

}  // namespace

std::unique_ptr<AgentLink> open_relay(std::unique_ptr<road::Link> link, road::RelayEvents events, const road::RelayOptions& options) {
  return std::make_unique<RelayLink>(std::move(link), std::move(events), options);
}

}  // namespace octavo::agent
