// SPDX-License-Identifier: Apache-2.0
// Two relays in one program, and the processes whose connections they carry.
//
//   Relays relays(over_unix_sockets());
//   auto a = relays.open(0, 7), b = relays.open(1, 7);   // the two ends of channel 7
//   a.send(1, 5000);  EXPECT_EQ(b.receive(), 1);
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "kit/link/link_pair.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/relay.hpp"

namespace octavo::kit {

using Links = std::pair<std::unique_ptr<road::Link>, std::unique_ptr<road::Link>>;

inline Links over_unix_sockets() {
  std::array<int, 2> sockets{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  return {road::open_unix_link(Fd(sockets[0])), road::open_unix_link(Fd(sockets[1]))};
}
inline Links over(const LinkPair& pair) { return {pair.end(0), pair.end(1)}; }
inline Links over_pair() { return over(LinkPair()); }
inline Links over_crumbs() {
  LinkPair pair(3000);
  pair.portions(1000);
  return over(pair);
}

// What a relay has told.
class Told {
 public:
  road::RelayEvents events() {
    return {.control =
                [this](ByteView bytes, const std::vector<Fd>& with) {
                  add(came_with, with.size());
                  add(controls, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
                },
            .ended = [this](std::uint64_t channel) { add(ended, channel); },
            .lost = [this](const std::string& why) { add(lost, why); }};
  }
  template <class Condition>
  void await(Condition condition) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, condition);
  }
  template <class Value>
  std::vector<Value> now(std::vector<Value> Told::*list) {
    std::lock_guard lock(mutex_);
    return this->*list;
  }
  std::vector<std::string> controls, lost;  // to be looked at in await(), or by now()
  std::vector<std::uint64_t> ended;
  std::vector<std::size_t> came_with;  // how many descriptors, with each control

 private:
  template <class Value>
  void add(std::vector<Value>& to, Value value) {
    std::lock_guard lock(mutex_);
    to.push_back(std::move(value));
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
};

// A process as the road sees it: a doorbell and a connection.
struct Party {
  road::Doorbell bell = road::Doorbell::make();
  std::shared_ptr<road::Connection> connection;

  static wire::Outgoing frame(std::uint64_t number, std::size_t bytes) {
    wire::Outgoing out;
    out.header.call = number;
    out.body.assign(bytes, static_cast<std::byte>(number));
    out.seal();
    return out;
  }
  // Waits for room.
  void send(std::uint64_t number, std::size_t bytes) const {
    connection->send(frame(number, bytes), [this] {
      bell.wait([this] { return connection->ready() || ended(); });
      if (ended()) connection->notice_gone();
      return true;
    });
  }
  // The number of the next frame; -1 when the peer is gone and nothing is left.
  [[nodiscard]] std::int64_t receive() const {
    wire::Message message;
    while (!connection->receive(message)) {
      if (connection->gone()) return -1;
      bell.wait([this] { return connection->ready() || ended(); });
      if (ended()) connection->notice_gone();
    }
    for (auto byte : message.body.span()) EXPECT_EQ(byte, static_cast<std::byte>(message.header.call));
    return static_cast<std::int64_t>(message.header.call);
  }
  [[nodiscard]] bool ended() const {
    pollfd poll{connection->watch(), POLLIN | POLLRDHUP, 0};
    return ::poll(&poll, 1, 0) == 1;
  }
};

struct Relays {
  // `pages`: the pools of the two machines.
  explicit Relays(Links links, road::RelayOptions options = {}, bool start = true, const std::array<wire::SharedPages*, 2>& pages = {}) {
    options.pages = pages[0];
    relays[0] = std::make_unique<road::Relay>(std::move(links.first), told[0].events(), options);
    options.pages = pages[1];
    relays[1] = std::make_unique<road::Relay>(std::move(links.second), told[1].events(), options);
    if (!start) return;
    for (auto& relay : relays) relay->start();
  }
  Party open(std::size_t side, std::uint64_t channel, wire::PageKeeper* keeper = nullptr, const Party& party = {}) {
    Party made = party;
    auto ends = road::make_shm_ends(road::default_ring_bytes, false);
    ends.first.road = "net";
    made.connection = road::open_shm(std::move(ends.first), relays.at(side)->bell(), keeper);
    relays.at(side)->open(channel, std::move(ends.second), made.bell);
    return made;
  }
  std::array<Told, 2> told;
  std::array<std::unique_ptr<road::Relay>, 2> relays;
};

}  // namespace octavo::kit
