// SPDX-License-Identifier: Apache-2.0
#include "link/points.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "link/broadcast/rows.hpp"
#include "link/by_files.hpp"
#include "link/by_sftp.hpp"
#include "link/by_ssh.hpp"

namespace bench {

namespace {

using Json = nlohmann::ordered_json;
const std::vector<std::size_t> sizes{16, 1U << 10, 1U << 14, 1U << 17, 1U << 20, 1U << 23, 1U << 26};

// So many that a size takes about as long as another.
int trips_of(std::size_t bytes) { return static_cast<int>(std::clamp<std::size_t>((64U << 20) / bytes, 3, 300)); }

// Who is not here has no points.
void measure(Json& points, const std::string& who, const std::string& at, const std::function<double()>& seconds) {
  try {
    points[who][at] = seconds();
    std::printf("%s, %s: %.4g us\n", who.c_str(), at.c_str(), points[who][at].get<double>() * 1e6);
  } catch (const std::exception& error) {
    std::printf("%s, %s: %s\n", who.c_str(), at.c_str(), error.what());
  }
  std::fflush(stdout);
}

Json within_a_host(const std::string& sources) {
  Json points = Json::object();
  const auto theirs = ppython({.hosts = 1, .members = 2}, sources);
  for (const auto bytes : sizes) {
    const int trips = trips_of(bytes);
    measure(points, "octavo by files", std::to_string(bytes), [&] { return files::half_trip(bytes, trips); });
    measure(points, "message and lock file", std::to_string(bytes), [&] { return files::lock::half_trip(bytes, trips); });
    measure(points, "pPython", std::to_string(bytes), [&] { return theirs->ask("half_trip", bytes, std::min(trips, 50)); });
  }
  return points;
}

Json between_hosts() {
  Json points = Json::object();
  if (const auto missing = octavo::kit::Sshd::missing(); !missing.empty()) {
    std::printf("between hosts: %s\n", missing.c_str());
    return points;
  }
  BySftp sftp;
  const BySsh ssh;
  for (const auto bytes : sizes) {
    const int trips = trips_of(bytes);
    measure(points, "octavo by files over sftp", std::to_string(bytes), [&] { return sftp.link().half_trip(bytes, trips); });
    measure(points, "octavo by ssh", std::to_string(bytes), [&] { return ssh.link().half_trip(bytes, trips); });
    measure(points, "scp, a message", std::to_string(bytes), [&] { return sftp.copy_by_scp(bytes); });
  }
  return points;
}

Json broadcast(const std::string& sources) {
  Json points = Json::object();
  for (const int hosts : {1, 2, 4})
    for (const int members : {1, 2, 4}) {
      const Hosts where{hosts, members};
      const std::string at = std::to_string(hosts) + " x " + std::to_string(members);
      if (where.all() == 1) continue;
      measure(points, "octavo by files", at, [&] { return BroadcastByFiles(where).seconds(); });
      measure(points, "central directory", at, [&] { return BroadcastByCentral(where, false).seconds(); });
      measure(points, "central directory by sshfs", at, [&] {
        if (const auto missing = BroadcastByCentral::missing(); !missing.empty()) throw std::runtime_error(missing);
        return BroadcastByCentral(where, true).seconds();
      });
      measure(points, "pPython", at, [&] { return ppython(where, sources)->ask("broadcast", broadcast_bytes, broadcasts); });
      measure(points, "Open MPI", at, [&] { return open_mpi_of(where)->ask("broadcast", broadcast_bytes, broadcasts); });
    }
  return points;
}

}  // namespace

int figures(const std::string& file, const std::string& ppython_sources) {
  const Json all{{"within a host", within_a_host(ppython_sources)}, {"between hosts", between_hosts()}, {"broadcast", broadcast(ppython_sources)}};
  const std::string points = file + ".json";
  std::ofstream out(points);
  out << all.dump(1) << '\n';
  out.close();
  if (!out) throw std::runtime_error("writing '" + points + "' failed");
  const std::string script = std::string(OCTAVO_BENCHMARKS_DIR) + "/kit/file_messages.py";
  octavo::kit::Helper drawing({"python3", script, points, file});
  try {
    for (;;) std::printf("%s\n", drawing.line().c_str());
  } catch (const std::exception&) {  // it has ended
  }
  return 0;
}

}  // namespace bench
