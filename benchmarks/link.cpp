// SPDX-License-Identifier: Apache-2.0
// What a link between machines costs: pages of 32 MiB one way, and the round trip of 8 bytes, over TLS; and the same as calls, from a process here to
// an object of another machine; 16 bytes, 1 MiB and 128 MiB by files and by ssh, and how many system calls on files that takes. Each row in pairs with its
// limit and its peers (kit/pairs.hpp): a ratio above 1 is ours being better.
//
//   ./dev bench link [--only WORD] [--json FILE] [--ppython DIR]
//   ./dev bench link --figure FILE.png [--ppython DIR]       figures 7 to 9 of the paper, and nothing else
//
// The limits: the same over bare TCP on the same path (asleep between, as programs wait for sockets; beside it what it takes where nobody ever sleeps), and for
// pages AES-128-GCM by itself in one thread, whichever is slower. Paths: the loopback device, and (as root) two network namespaces joined by a veth pair; there
// the peers are Open MPI over TCP and ZeroMQ, plain and with CURVE.
#include <openssl/crypto.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>

#include "kit/options.hpp"
#include "kit/table.hpp"
#include "kit/two_hosts.hpp"
#include "link/bare.hpp"
#include "link/broadcast/rows.hpp"
#include "link/by_files.hpp"
#include "link/by_sftp.hpp"
#include "link/by_ssh.hpp"
#include "link/machines.hpp"
#include "link/peers.hpp"
#include "link/points.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using bench::Row, bench::Table;
using Links = std::function<kit::TwoLinks()>;
constexpr double microseconds = 1e6, giga = 1e-9;
constexpr int sftp_trips = 500;
constexpr int whatever_hangs = 480;  // seconds

// The slower of the two counts, in each pair; what each of them was is said beside.
class SlowerOfTwo {
 public:
  explicit SlowerOfTwo(Links bare) : bare_(std::move(bare)) {}
  double measure() {
    auto links = bare_();
    cipher_speed_ = bench::cipher_bytes_per_second() * giga;
    bare_speed_ = bench::bytes_per_second(links) * giga;
    return std::min(cipher_speed_, bare_speed_);
  }
  // Both are done by one thread on each side, one after the other: what that would give if each cost then what it costs alone.
  Row::Measures beside() {
    return {{"bare TCP, GB/s", [this] { return bare_speed_; }},
            {"AES-128-GCM, GB/s", [this] { return cipher_speed_; }},
            {"one after the other, GB/s", [this] { return 1 / (1 / bare_speed_ + 1 / cipher_speed_); }}};
  }

 private:
  Links bare_;
  double cipher_speed_ = 0, bare_speed_ = 0;
};

void pages(Table& table, const std::string& name, const Links& bare, const std::function<double()>& ours, const Row::Measures& peers) {
  SlowerOfTwo limit(bare);
  table.add({.name = name,
             .unit = "GB/s",
             .ours = [&] { return ours() * giga; },
             .limit_name = "the slower of bare TCP and AES-128-GCM",
             .limit = [&] { return limit.measure(); },
             .peers = peers,
             .beside = limit.beside(),
             .aim = "0.7 of the limit",
             .far_matters = false,
             .pinned = false,
             .conditions = {{"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}, {"openssl", ::OpenSSL_version(OPENSSL_VERSION_STRING)}}});
}

void trips(Table& table, const std::string& name, const Links& bare, const std::function<double()>& ours, const Row::Measures& peers) {
  table.add({.name = name,
             .unit = "us",
             .lower_is_better = true,
             .ours = [&] { return ours() * microseconds; },
             .limit_name = "bare TCP",
             .limit =
                 [&] {
                   auto links = bare();
                   return bench::round_trip(links) * microseconds;
                 },
             .peers = peers,
             .beside = {{"bare TCP that never sleeps, us",
                         [&] {
                           auto links = bare();
                           return bench::restless_round_trip(links) * microseconds;
                         }}},
             .aim = "1.5 x the limit",
             .far_matters = false,
             .pinned = false});
}

void link_alone(Table& table, const std::string& path, const Links& tls, const Links& bare) {
  auto over = [&tls](double (*measure)(kit::TwoLinks&)) {
    return [&tls, measure] {
      auto links = tls();
      return measure(links);
    };
  };
  pages(table, "pages over " + path, bare, over(bench::bytes_per_second), {});
  trips(table, "8 bytes over " + path, bare, over(bench::round_trip), {});
}

void over_cable(Table& table) {
  const kit::TwoHosts hosts;
  const auto key = road::ClusterKey::make();
  auto tls = [&] {
    auto listener = hosts.on(0, [&] { return std::make_unique<road::TlsListener>(hosts.address(0), 0, key); });
    auto client = std::async(std::launch::async, [&] {
      hosts.enter(1);
      return road::connect_tls(hosts.address(0), listener->port(), key, road::never);
    });
    auto server = kit::take(*listener, 1);
    return kit::TwoLinks{client.get(), std::move(server.front())};
  };
  auto bare = [&] {
    auto listening = hosts.on(0, [&] { return kit::tcp_listener(hosts.address(0)); });
    auto client = hosts.on(1, [&] { return kit::tcp_to(kit::port_of(listening), hosts.address(1), hosts.address(0)); });
    return bench::bare_links({std::move(client), kit::tcp_accept(listening)});
  };
  link_alone(table, "a veth pair", tls, bare);
  hosts.on(0, [&] {
    const bench::PeersByCable peers(hosts);
    const bench::Machines machines(hosts);
    pages(
        table, "pages in calls to another machine", bare, [&] { return machines.bytes_per_second(bench::page_bytes); },
        peers.bytes_per_second(bench::page_bytes, giga));
    trips(
        table, "call to another machine", bare, [&] { return machines.round_trip(); }, peers.round_trips(microseconds));
  });
}

void by_files(Table& table) {
  namespace files = bench::files;
  constexpr const char* paper = "message and lock file (paper 004)";
  const auto count = [&](const std::string& name, double (*ours)(), double (*theirs)(), const Row::Measures& beside) {
    table.add({.name = name,
               .unit = "calls",
               .lower_is_better = true,
               .ours = ours,
               .limit_name = paper,
               .limit = theirs,
               .beside = beside,
               .aim = "a third of the paper's",
               .far_matters = false},
              3);
  };
  count("system calls on files, a message by files", files::operations_a_message, files::lock::operations_a_message, {});
  count("system calls on files, a waiting second", files::operations_a_waiting_second, files::lock::operations_a_waiting_second,
        {{"where no inotify tells", files::operations_a_second_by_looking}});
  table.add({.name = "16 bytes by files, one way",
             .unit = "us",
             .lower_is_better = true,
             .ours = [] { return files::half_trip(16) * microseconds; },
             .limit_name = "a file made, renamed, read and removed by one thread",
             .limit = [] { return files::a_file(16) * microseconds; },
             .peers = {{paper, [] { return files::lock::half_trip(16) * microseconds; }}},
             .aim = "60 us",
             .far_matters = false});
  for (const auto& [name, bytes] : {std::pair{"1 MiB by files", std::size_t{1} << 20}, std::pair{"128 MiB by files", std::size_t{128} << 20}})
    table.add({.name = name,
               .unit = "GB/s",
               .ours = [bytes = bytes] { return files::bytes_per_second(bytes) * giga; },
               .limit_name = "a file of 1 MiB made, renamed, read and removed by one thread",
               .limit = [] { return (1U << 20) / files::a_file(1U << 20) * giga; },
               .peers = {{paper, [bytes = bytes] { return files::lock::bytes_per_second(bytes) * giga; }}},
               .aim = "4 x (1 MiB), 2 x (128 MiB) the paper's",
               .far_matters = false},
              9);
}

void by_ssh(Table& table) {
  if (const auto missing = kit::Sshd::missing(); !missing.empty()) return static_cast<void>(std::printf("%s\n", missing.c_str()));
  const bench::BySsh ssh;
  table.add({.name = "16 bytes by ssh, one way",
             .unit = "us",
             .lower_is_better = true,
             .ours = [&] { return ssh.link().half_trip(16) * microseconds; },
             .limit_name = "ssh cat",
             .limit = [&] { return ssh.half_trip_alone(16) * microseconds; },
             .aim = "100 us",
             .far_matters = false,
             .pinned = false},
            7);
  for (const auto& [name, bytes] : {std::pair{"1 MiB by ssh", std::size_t{1} << 20}, std::pair{"128 MiB by ssh", std::size_t{128} << 20}})
    table.add({.name = name,
               .unit = "GB/s",
               .ours = [&ssh, bytes = bytes] { return ssh.link().bytes_per_second(bytes) * giga; },
               .limit_name = "ssh head",
               .limit = [&ssh, bytes = bytes] { return ssh.bytes_per_second_alone(bytes) * giga; },
               .aim = "0.9 of the limit",
               .far_matters = false,
               .pinned = false},
              5);
}

void by_sftp(Table& table) {
  if (const auto missing = kit::Sshd::missing(); !missing.empty()) return static_cast<void>(std::printf("%s\n", missing.c_str()));
  bench::BySftp sftp;
  const bench::BySsh ssh;
  table.add({.name = "16 bytes by files over sftp, one way",
             .unit = "us",
             .lower_is_better = true,
             .ours = [&] { return sftp.link().half_trip(16, sftp_trips) * microseconds; },
             .limit_name = "ssh cat",
             .limit = [&] { return ssh.half_trip_alone(16) * microseconds; },
             .peers = {{"put and rename in one sftp", [&] { return sftp.put_by_sftp(16) * microseconds; }},
                       {"scp, a message", [&] { return sftp.copy_by_scp(16) * microseconds; }},
                       {"scp, a message, by a kept connection", [&] { return sftp.copy_by_a_kept_scp(16) * microseconds; }}},
             .aim = "1 ms",
             .far_matters = false,
             .pinned = false},
            7);
}

}  // namespace

int main(int argc, char** argv) {
  bench::be_far_end_if_asked(argc, argv);
  bench::be_sftp_end_if_asked(argc, argv);
  octavo::serve_if_asked();
  ::alarm(whatever_hangs);
  try {
    auto options = bench::options_of(argc, argv, {"--only", "--json", "--ppython", "--figure"});
    if (const auto figure = options.value("--figure")) return bench::figures(*figure, options.value("--ppython").value_or(""));
    Table table(options.value("--only").value_or(""));
    link_alone(
        table, "loopback", [] { return kit::over_tls(); }, [] { return bench::bare_links(kit::tcp_pair()); });
    by_files(table);
    by_ssh(table);
    by_sftp(table);
    bench::broadcast_rows(table, options.value("--ppython").value_or(""));
    auto missing = kit::TwoHosts::missing();
    if (missing.empty()) over_cable(table);
    else std::printf("%s\n", missing.c_str());
    bench::write(table.results(), options.value("--json"));
    return table.failed() ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link: %s\n", error.what());
    return 1;
  }
}
