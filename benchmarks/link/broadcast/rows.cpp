// SPDX-License-Identifier: Apache-2.0
#include "link/broadcast/rows.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "kit/limits.hpp"
#include "link/by_files.hpp"

namespace bench {

namespace {

constexpr double microseconds = 1e6;
constexpr int pairs = 3, trips = 200;

std::function<double()> asked(Peer& peer) {
  return [&peer] { return peer.ask("broadcast", broadcast_bytes, broadcasts) * microseconds; };
}

void broadcast_row(Table& table, const std::string& name, const Hosts& where, const std::string& sources) {
  if (!table.wants(name)) return;
  const BroadcastByFiles ours(where);
  const auto mpi = open_mpi_of(where), theirs = ppython(where, sources);
  BroadcastByCentral local(where, false);
  std::optional<BroadcastByCentral> by_sshfs;
  const auto missing = BroadcastByCentral::missing();
  if (missing.empty()) by_sshfs.emplace(where, true);
  Row row{
      .name = name,
      .unit = "us",
      .lower_is_better = true,
      .ours = [&] { return ours.seconds() * microseconds; },
      .limit_name = "a message by files for each level of hosts, and a wake-up",
      .limit = [&] { return (where.depth() * files::half_trip(broadcast_bytes, trips) + (where.members > 1 ? wake_between_processes() : 0)) * microseconds; },
      .peers = {{where.hosts > 1 ? "Open MPI by TCP" : "Open MPI", asked(*mpi)},
                {"pPython", asked(*theirs)},
                {"central directory", [&] { return local.seconds() * microseconds; }},
                {"central directory by sshfs",
                 [&]() -> double {
                   if (!by_sshfs) throw std::runtime_error(missing);
                   return by_sshfs->seconds() * microseconds;
                 }}},
      .aim = "ahead of pPython; a file to each other host",
      .far_matters = false,
      .pinned = false,
      .conditions = {{"hosts", where.hosts}, {"members on each", where.members}}};
  if (where.hosts > 1)
    for (const auto& [way, count] : ours.files_that_leave()) row.conditions["files"][way] = rounded(count);
  if (where.hosts > 1) std::printf("%s: files for one: %s\n", name.c_str(), row.conditions["files"].dump().c_str());
  table.add(row, pairs);
}

}  // namespace

std::unique_ptr<Peer> open_mpi_of(const Hosts& where) {
  std::vector<std::string> options{"--oversubscribe", "--mca", "mpi_yield_when_idle", "1"};
  if (where.hosts > 1) options.insert(options.end(), {"--mca", "btl", "self,tcp", "--mca", "btl_tcp_if_include", "lo"});
  return open_mpi(where.all(), options);
}

std::unique_ptr<Peer> ppython(const Hosts& where, const std::string& sources) {
  const char* known = std::getenv("OCTAVO_PEERS_PPYTHON");
  const std::string found = !sources.empty() || known == nullptr ? sources : known;
  if (found.empty()) return std::make_unique<Peer>("not here: --ppython DIR, a checkout of github.com/Accla/pPython");
  return std::make_unique<Peer>(std::vector<std::string>{"python3", std::string(OCTAVO_BENCHMARKS_DIR) + "/peers/link/by_ppython.py",
                                                         std::to_string(where.hosts), std::to_string(where.members), found + "/src/pPython"},
                                where.all());
}

void broadcast_rows(Table& table, const std::string& sources) {
  for (const int hosts : {1, 2, 4})
    for (const int members : {1, 2, 4}) {
      const Hosts where{hosts, members};
      if (where.all() == 1) continue;
      broadcast_row(table, "broadcast of 32 B, " + std::to_string(hosts) + (hosts == 1 ? " host x " : " hosts x ") + std::to_string(members), where, sources);
    }
}

}  // namespace bench
