// SPDX-License-Identifier: Apache-2.0
// A new connection, from what the agent sends of it.
#include <cerrno>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "process/peers/peers.hpp"

namespace octavo::detail {

void Peers::expect_descriptors(const control::Received& received, std::size_t count, const char* what) {
  if (received.lost_descriptors) throw io_error_from(EMFILE, std::string("taking the descriptors of ") + what);
  if (received.descriptors.size() != count)
    throw io_error(std::string(what) + " came with " + std::to_string(received.descriptors.size()) + " descriptors, not " + std::to_string(count));
}

std::shared_ptr<road::Connection> Peers::open_road(control::Received& received, const control::Connected& notice) {
  auto& given = received.descriptors;
  expect_descriptors(received, notice.road == road::road_kind::thread ? 1 : notice.road == road::road_kind::shm ? 3 : 4, "a new connection");
  if (notice.road == road::road_kind::thread) return host_->meet(notice.meeting, notice.side, *bell_, road::Doorbell::open(std::move(given[0])), pool_.get());
  const bool abroad = notice.road == road::road_kind::net;
  auto bell = road::Doorbell::open(std::move(given[0]), abroad ? std::move(given[3]) : Fd());
  road::ShmEnd end{std::move(given[1]), std::move(given[2]), notice.side, abroad ? "net" : "shm", !abroad};
  end.number = notice.number;
  if (abroad) return road::open_to_relay(std::move(end), std::move(bell), pool_.get(), notice.peer_slot);
  end.peer = static_cast<int>(notice.peer.pid);
  return road::open_shm(std::move(end), std::move(bell), pool_.get());
}

void Peers::connected(control::Received& received, const control::Connected& notice) {
  std::optional<wire::PageRoute> route;
  if (notice.road != road::road_kind::net) route = {notice.peer_slot, road::way_of(notice.number, notice.side)};
  Link link{notice.peer, route, open_road(received, notice)};
  delay_point("peers: a connection came");
  int end = link.connection->watch();
  {
    std::lock_guard lock(mutex_);
    links_.emplace(notice.peer.address, link);
    if (end >= 0) watched_[end] = link.connection;
    version_.fetch_add(1, std::memory_order_release);
  }
  delay_point("peers: a connection is entered");
  if (end >= 0) watch(end);
  if (notice.request != 0) answer(notice.request, [&](Answer& a) { a.link = link; });
  bell_->ring();
}

}  // namespace octavo::detail
