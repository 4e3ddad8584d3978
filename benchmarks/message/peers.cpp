// SPDX-License-Identifier: Apache-2.0
#include "message/peers.hpp"

#include <filesystem>

namespace bench {

namespace {

using Words = std::vector<std::string>;

// `before` and the program; what to install where it was not built.
std::unique_ptr<Peer> installed(const std::string& program, const std::string& packages, Words before, int ranks) {
  auto path = (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / program).string();
  if (!std::filesystem::exists(path)) return std::make_unique<Peer>("not installed: apt install " + packages + ", then build again");
  before.push_back(path);
  return std::make_unique<Peer>(std::move(before), ranks);
}

// Not bound by mpirun: the ranks bind themselves (answering.hpp), to the two processors that this program may use.
std::unique_ptr<Peer> open_mpi(int ranks, const Words& options) {
  Words command{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", OCTAVO_OPENMPI_RUN, "--bind-to", "none", "-np", std::to_string(ranks)};
  command.insert(command.end(), options.begin(), options.end());
  return installed("peer_openmpi", "openmpi-bin libopenmpi-dev", std::move(command), ranks);
}

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
  peers_["MPICH"] = installed("peer_mpich", "mpich libmpich-dev", {OCTAVO_MPICH_RUN, "-bind-to", "none", "-np", "2"}, 2);
  peers_["ZeroMQ"] = installed("peer_zeromq", "libzmq3-dev", {}, 2);
  peers_["oneTBB"] = installed("peer_onetbb", "libtbb-dev", {}, 1);
  peers_["FastFlow"] = fastflow(fastflow_headers);
}

std::function<double()> Peers::figure(const std::string& who, const std::string& what, std::size_t bytes, long count, double scale) const {
  return [peer = peers_.at(who).get(), what, bytes, count, scale] { return scale * peer->ask(what, bytes, count); };
}

void Peers::stop() const {
  for (const auto& [name, peer] : peers_) peer->stop();
}

}  // namespace bench
