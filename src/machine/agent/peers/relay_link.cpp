// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "machine/agent/peers/agent_link.hpp"

namespace octavo::agent {

namespace {

class RelayLink final : public AgentLink {
 public:
  RelayLink(std::unique_ptr<road::Link> link, road::RelayEvents events, const road::RelayOptions& options)
      : relay_(std::move(link), std::move(events), options) {
    relay_.start();
  }
  void send(ByteView notice, std::span<const int> descriptors) override { relay_.send_control(notice, descriptors); }
  [[nodiscard]] bool carries_descriptors() const override { return relay_.carries_descriptors(); }
  void open(std::uint64_t channel, road::ShmEnd end, const road::Doorbell& process, unsigned slot) override {
    relay_.open(channel, std::move(end), process, slot);
  }
  void refuse(std::uint64_t channel) override { relay_.refuse(channel); }
  [[nodiscard]] const road::Doorbell& bell() const override { return relay_.bell(); }
  [[nodiscard]] bool carries() const override { return relay_.carries(); }

 private:
  road::Relay relay_;
};

}  // namespace

std::unique_ptr<AgentLink> open_relay(std::unique_ptr<road::Link> link, road::RelayEvents events, const road::RelayOptions& options) {
  return std::make_unique<RelayLink>(std::move(link), std::move(events), options);
}

}  // namespace octavo::agent
