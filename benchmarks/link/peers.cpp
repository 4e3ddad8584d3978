// SPDX-License-Identifier: Apache-2.0
#include "link/peers.hpp"

#include <cstdlib>

namespace bench {

namespace {

using Words = std::vector<std::string>;

// A daemon on each host starts its rank there: a single one would be asked for over the loopback device of its own host.
std::unique_ptr<Peer> open_mpi_by_tcp(const octavo::kit::TwoHosts& hosts) {
  ::setenv("OCTAVO_THERE", hosts.path(1).c_str(), 1);
  const std::string cable = hosts.address(0) + "/24";
  return open_mpi(2, {"--mca", "plm_rsh_agent", std::string(OCTAVO_BENCHMARKS_DIR) + "/peers/by_nsenter.sh", "--mca", "plm_rsh_no_tree_spawn", "1", "--mca",
                      "btl", "self,tcp", "--mca", "btl_tcp_if_include", cable, "--mca", "oob_tcp_if_include", cable, "--host",
                      hosts.address(0) + "," + hosts.address(1), "--map-by", "node"});
}

std::unique_ptr<Peer> zeromq_by_tcp(const octavo::kit::TwoHosts& hosts, const std::string& port, const std::string& how) {
  return installed_peer("peer_zeromq", "libzmq3-dev", {}, 2, {"tcp://" + hosts.address(0) + ":" + port, hosts.path(1), how});
}

}  // namespace

PeersByCable::PeersByCable(const octavo::kit::TwoHosts& hosts)
    : open_mpi_(open_mpi_by_tcp(hosts)), zeromq_(zeromq_by_tcp(hosts, "5555", "plain")), curve_(zeromq_by_tcp(hosts, "5556", "curve")) {}

Row::Measures PeersByCable::bytes_per_second(std::size_t bytes, double scale) const {
  auto stream = [bytes, scale](Peer& peer, long count) { return [&peer, bytes, count, scale] { return scale * peer.ask("stream", bytes, count); }; };
  return {{"Open MPI over TCP", stream(*open_mpi_, 24)}, {"ZeroMQ", stream(*zeromq_, 12)}, {"ZeroMQ, CURVE", stream(*curve_, 6)}};
}

Row::Measures PeersByCable::round_trips(double scale) const {
  auto trip = [scale](Peer& peer, long count) { return [&peer, count, scale] { return 2 * scale * peer.ask("half_trip", 8, count); }; };
  return {{"Open MPI over TCP", trip(*open_mpi_, 5000)}, {"ZeroMQ", trip(*zeromq_, 2000)}, {"ZeroMQ, CURVE", trip(*curve_, 2000)}};
}

}  // namespace bench
