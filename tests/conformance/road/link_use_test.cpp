// SPDX-License-Identifier: Apache-2.0
// L-10 binds the users of a link: a relay, whose doors are open to any thread, lets one at a time to the link.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;

// Another link, which notices when a second thread comes while one is within.
class Watched final : public road::Link {
 public:
  Watched(std::unique_ptr<road::Link> link, std::atomic<bool>& shared) : link_(std::move(link)), shared_(shared) {}
  [[nodiscard]] std::size_t send(std::span<const ByteView> pieces) override {
    return in<std::size_t>([&] { return link_->send(pieces); });
  }
  [[nodiscard]] std::size_t send_lent(std::span<const ByteView> pieces, std::span<const Owner> owners) override {
    return in<std::size_t>([&] { return link_->send_lent(pieces, owners); });
  }
  [[nodiscard]] std::size_t receive(std::span<const ByteSpan> into) override {
    return in<std::size_t>([&] { return link_->receive(into); });
  }
  [[nodiscard]] int descriptor() const override {
    return in<int>([&] { return link_->descriptor(); });
  }
  [[nodiscard]] short events(bool sending) const override {
    return in<short>([&] { return link_->events(sending); });
  }
  [[nodiscard]] bool lost() const override {
    return in<bool>([&] { return link_->lost(); });
  }
  [[nodiscard]] std::string why() const override {
    return in<std::string>([&] { return link_->why(); });
  }
  void close() override {
    in<int>([&] { return link_->close(), 0; });
  }
  [[nodiscard]] std::string_view kind() const override { return link_->kind(); }
  [[nodiscard]] bool awaited() const override {
    return in<bool>([&] { return link_->awaited(); });
  }

 private:
  template <class Result, class Use>
  Result in(Use use) const {
    if (taken_.exchange(true)) shared_ = true;
    std::this_thread::yield();  // for a second thread to come
    Result result = use();
    taken_ = false;
    return result;
  }
  std::unique_ptr<road::Link> link_;
  mutable std::atomic<bool> taken_{false};
  std::atomic<bool>& shared_;
};

TEST(LinkUse, L10_ARelayLetsOneThreadAtATimeToItsLink) {
  octavo::kit::Watchdog watchdog(60);
  std::atomic<bool> shared{false};
  {
    auto [a, b] = octavo::kit::over_unix_sockets();
    octavo::kit::Relays relays({std::make_unique<Watched>(std::move(a), shared), std::make_unique<Watched>(std::move(b), shared)});
    std::vector<std::jthread> users;
    for (std::uint64_t user = 0; user < 3; ++user)
      users.emplace_back([&, user] {
        for (std::uint64_t channel = 100 * user; channel < 100 * user + 20; ++channel) {
          for (auto& relay : relays.relays) relay->send_control(std::as_bytes(std::span("a control")));
          auto here = relays.open(0, channel), there = relays.open(1, channel);
          here.send(channel, 20'000);
          EXPECT_EQ(there.receive(), static_cast<std::int64_t>(channel));
          relays.relays[channel % 2]->close(channel);
          relays.relays[channel % 2]->refuse(1000 + channel);
        }
      });
  }
  EXPECT_FALSE(shared.load());
}

}  // namespace
