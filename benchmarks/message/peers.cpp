// SPDX-License-Identifier: Apache-2.0
#include "message/peers.hpp"

namespace bench {

namespace {

using Words = std::vector<std::string>;

// Compiled when it is asked for the first time: the folder that Peer adds is the script's last argument.
std::unique_ptr<Peer> fastflow(const std::optional<std::string>& headers) {
  if (!headers) return std::make_unique<Peer>("not given: --fastflow DIR, its headers (github.com/fastflow/fastflow)");
  const char* build = R"(c++ -std=c++20 -O3 -DNDEBUG -pthread -w -I "$0" "$1" -o "$2/program" && exec "$2/program" "$2")";
  const std::string source = std::string(OCTAVO_BENCHMARKS_DIR) + "/peers/fastflow.cpp";
  return std::make_unique<Peer>(Words{"sh", "-c", build, *headers, source}, 1);
}

}  // namespace

Peers::Peers(const std::optional<std::string>& fastflow_headers) {
  peers_["Open MPI"] = open_mpi(2, {});
  peers_["Open MPI without CMA"] = open_mpi(2, {"--mca", "btl_vader_single_copy_mechanism", "none"});
  peers_["Open MPI, 20 ranks"] = open_mpi(20, {"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"});
  peers_["MPICH"] = installed_peer("peer_mpich", "mpich libmpich-dev", {OCTAVO_MPICH_RUN, "-bind-to", "none", "-np", "2"}, 2);
  peers_["ZeroMQ"] = installed_peer("peer_zeromq", "libzmq3-dev", {}, 2);
  peers_["gRPC"] = installed_peer("peer_grpc", "libgrpc++-dev", {}, 2);
  peers_["oneTBB"] = installed_peer("peer_onetbb", "libtbb-dev", {}, 1);
  peers_["FastFlow"] = fastflow(fastflow_headers);
}

std::function<double()> Peers::figure(const std::string& who, const std::string& what, std::size_t bytes, long count, double scale) const {
  return [peer = peers_.at(who).get(), what, bytes, count, scale] { return scale * peer->ask(what, bytes, count); };
}

void Peers::stop() const {
  for (const auto& [name, peer] : peers_) peer->stop();
}

}  // namespace bench
