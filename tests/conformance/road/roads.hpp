// SPDX-License-Identifier: Apache-2.0
// All roads, for tests of their contract (octavo/road/connection.hpp). A new road adds one Both, and a line to all_roads().
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/shm.hpp"
#include "octavo/road/thread.hpp"

namespace road_tests {

namespace road = octavo::road;
namespace wire = octavo::wire;

struct Both {
  std::unique_ptr<octavo::kit::Relays> relays;           // of the net road
  std::array<std::unique_ptr<octavo::Pool>, 2> pools{};  // where each end has its own
  road::Doorbell bell_a = road::Doorbell::make(), bell_b = road::Doorbell::make();
  std::shared_ptr<road::Connection> a, b;
};
struct Keeper final : wire::PageKeeper {
  void release(const wire::PageRef& page) noexcept override { released.push_back(page.offset); }
  void accept(const wire::PageRef& page, std::uint32_t way) override { accepted.emplace_back(page.offset, way); }
  void close_way(std::uint32_t way) noexcept override { closed.push_back(way); }
  std::vector<std::uint64_t> released;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> accepted;
  std::vector<std::uint32_t> closed;
};

using Maker = std::unique_ptr<Both> (*)(wire::PageKeeper*);

inline std::unique_ptr<Both> over_shm(wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  auto ends = road::make_shm_ends();
  ends.first.number = ends.second.number = 5;
  setup->a = road::open_shm(std::move(ends.first), setup->bell_b, keeper);
  setup->b = road::open_shm(std::move(ends.second), setup->bell_a, keeper);
  return setup;
}
inline std::unique_ptr<Both> over_thread(wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  std::tie(setup->a, setup->b) = road::ThreadRoad(setup->bell_a, setup->bell_b, keeper, keeper).ends();
  return setup;
}

// As between processes of two programs.
inline std::unique_ptr<Both> between_pools(wire::PageKeeper* /*keeper*/) {
  auto setup = std::make_unique<Both>();
  auto ends = road::make_shm_ends();
  for (auto& pool : setup->pools) pool = std::make_unique<octavo::Pool>(octavo::Pool::make(1 << 20), 3);
  setup->a = road::open_between_pools(std::move(ends.first), setup->bell_b, *setup->pools[0]);
  setup->b = road::open_between_pools(std::move(ends.second), setup->bell_a, *setup->pools[1]);
  return setup;
}

inline std::unique_ptr<Both> over_relays(octavo::kit::Links links, wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  setup->relays = std::make_unique<octavo::kit::Relays>(std::move(links));
  setup->a = setup->relays->open(0, 1, keeper, {setup->bell_a, nullptr}).connection;
  setup->b = setup->relays->open(1, 1, keeper, {setup->bell_b, nullptr}).connection;
  return setup;
}
inline std::unique_ptr<Both> over_net(wire::PageKeeper* keeper) { return over_relays(octavo::kit::over_unix_sockets(), keeper); }
inline std::unique_ptr<Both> over_net_in_crumbs(wire::PageKeeper* keeper) { return over_relays(octavo::kit::over_crumbs(), keeper); }

inline wire::Outgoing frame_of(std::uint64_t number, std::size_t body, std::size_t bulk, std::vector<std::byte>& store) {
  wire::Outgoing frame;
  frame.header.call = number;
  frame.header.object = 1;
  frame.body.assign(body, static_cast<std::byte>(number));
  store.assign(bulk, static_cast<std::byte>(number + 1));
  if (bulk != 0) frame.bulk.emplace_back(store);
  frame.header.body_bytes = body;
  frame.header.bulk_count = bulk != 0;
  return frame;
}

class OnRoads : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  octavo::kit::Watchdog watchdog{60};
  Keeper keeper;
  std::unique_ptr<Both> setup = GetParam().second(&keeper);

  wire::Message receive(road::Connection& from, const road::Doorbell& bell) {
    wire::Message message;
    while (!from.receive(message)) bell.wait([&] { return from.ready() || from.gone(); });
    return message;
  }
  // As an agent or watch thread would: polls the descriptor that tells of the end.
  void notice_end(road::Connection& at) {
    if (at.watch() >= 0) {
      pollfd poll{at.watch(), POLLIN | POLLRDHUP, 0};
      while (::poll(&poll, 1, -1) < 0) {}
      at.notice_gone();
    }
  }
};

inline auto all_roads() {
  return testing::Values(std::pair{"shm", Maker{over_shm}}, std::pair{"shm_between_pools", Maker{between_pools}}, std::pair{"thread", Maker{over_thread}},
                         std::pair{"net", Maker{over_net}}, std::pair{"net_in_crumbs", Maker{over_net_in_crumbs}});
}
inline std::string name_of_road(const testing::TestParamInfo<OnRoads::ParamType>& which) { return which.param.first; }

}  // namespace road_tests
