// SPDX-License-Identifier: Apache-2.0
// What a link between machines costs: pages of 32 MiB one way, and the round trip of 8 bytes, over TLS; and the same as calls, from a process here to
// an object of another machine.
// The limits, in the same run and turn about: the same over bare TCP on the same path, and for pages AES-128-GCM by itself in one
// thread, whichever is slower. Paths: the loopback device, and (as root) two network namespaces joined by a veth pair.
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <functional>
#include <system_error>
#include <thread>

#include "kit/report.hpp"
#include "kit/tls_pair.hpp"
#include "kit/two_hosts.hpp"
#include "link/machines.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;

constexpr int rounds = 11, warm_pages = 4, pages = 24, cipher_pages = 12, trips = 5000;
constexpr std::size_t page_bytes = 32U << 20, record_bytes = 16384;

double seconds_since(std::chrono::steady_clock::time_point begin) { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); }

// TCP and nothing else: what the TLS link adds to.
class BareLink final : public road::Link {
 public:
  explicit BareLink(octavo::Fd socket) : socket_(std::move(socket)) {
    int one = 1;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }
  std::size_t send(std::span<const ByteView> pieces) override { return moved(::send(descriptor(), pieces[0].data(), pieces[0].size(), MSG_DONTWAIT)); }
  std::size_t receive(std::span<const ByteSpan> into) override { return moved(::recv(descriptor(), into[0].data(), into[0].size(), MSG_DONTWAIT)); }
  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] short events(bool sending) const override { return static_cast<short>(sending ? POLLIN | POLLOUT : POLLIN); }
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string why() const override { return ""; }
  void close() override {}
  [[nodiscard]] std::string_view kind() const override { return "tcp"; }

 private:
  static std::size_t moved(ssize_t n) {
    if (n == 0 || (n < 0 && errno != EAGAIN)) throw std::system_error(errno, std::generic_category(), "moving bytes by TCP");
    return n < 0 ? 0 : static_cast<std::size_t>(n);
  }
  octavo::Fd socket_;
};

void wait_for(const road::Link& link, bool sending) {
  pollfd poll{link.descriptor(), link.events(sending), 0};
  ::poll(&poll, 1, -1);
}

void send_all(road::Link& link, ByteView bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.send(std::span(&bytes, 1)));
    if (!bytes.empty()) wait_for(link, true);
    if (link.lost()) throw std::runtime_error("the link is lost: " + link.why());
  }
}

void receive_all(road::Link& link, ByteSpan bytes) {
  while (!bytes.empty()) {
    bytes = bytes.subspan(link.receive(std::span(&bytes, 1)));
    if (!bytes.empty()) wait_for(link, false);
    if (link.lost()) throw std::runtime_error("the link is lost: " + link.why());
  }
}

// GB/s
double page_speed(kit::TwoLinks& links) {
  std::vector<std::byte> from(page_bytes, std::byte{7}), to(page_bytes);
  std::thread sender([&] {
    for (int i = 0; i < warm_pages + pages; ++i) send_all(*links.first, from);
  });
  for (int i = 0; i < warm_pages; ++i) receive_all(*links.second, to);
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < pages; ++i) receive_all(*links.second, to);
  double seconds = seconds_since(begin);
  sender.join();
  return pages * static_cast<double>(page_bytes) / seconds / 1e9;
}

// us
double round_trip(kit::TwoLinks& links) {
  std::array<std::byte, 8> here{}, there{};
  std::thread echo([&] {
    for (int i = 0; i < trips; ++i) {
      receive_all(*links.second, there);
      send_all(*links.second, there);
    }
  });
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < trips; ++i) {
    send_all(*links.first, here);
    receive_all(*links.first, here);
  }
  double seconds = seconds_since(begin);
  echo.join();
  return seconds / trips * 1e6;
}

// Of a page, record by record as TLS does. GB/s
double cipher_speed() {
  std::unique_ptr<EVP_CIPHER_CTX, decltype(&::EVP_CIPHER_CTX_free)> context(::EVP_CIPHER_CTX_new(), &::EVP_CIPHER_CTX_free);
  std::array<unsigned char, 16> key{}, nonce{}, tag{};
  std::vector<unsigned char> from(page_bytes, 7), to(record_bytes);
  ::EVP_EncryptInit_ex(context.get(), ::EVP_aes_128_gcm(), nullptr, key.data(), nonce.data());
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < cipher_pages; ++i)
    for (std::size_t at = 0; at < page_bytes; at += record_bytes) {
      int n = 0;
      ++nonce[0];
      ::EVP_EncryptInit_ex(context.get(), nullptr, nullptr, nullptr, nonce.data());
      ::EVP_EncryptUpdate(context.get(), to.data(), &n, from.data() + at, record_bytes);
      ::EVP_EncryptFinal_ex(context.get(), to.data(), &n);
      ::EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
    }
  return cipher_pages * static_cast<double>(page_bytes) / seconds_since(begin) / 1e9;
}

void measure(const std::string& path, const std::function<kit::TwoLinks()>& tls, const std::function<kit::TwoLinks()>& tcp,
             std::vector<bench::Result>& results) {
  std::vector<double> speeds, bare_speeds, cipher_speeds, latencies, bare_latencies;
  for (int i = 0; i < rounds; ++i) {
    cipher_speeds.push_back(cipher_speed());
    auto ours = tls(), bare = tcp();
    bare_speeds.push_back(page_speed(bare));
    speeds.push_back(page_speed(ours));
    bare_latencies.push_back(round_trip(bare));
    latencies.push_back(round_trip(ours));
  }
  double bare = bench::median(bare_speeds), cipher = bench::median(cipher_speeds);
  // Both are done by one thread on each side, one after the other: what that would give if each cost then what it costs alone.
  nlohmann::ordered_json conditions = {{"rounds", rounds}, {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)}, {"page bytes", page_bytes}};
  conditions["openssl"] = ::OpenSSL_version(OPENSSL_VERSION_STRING);
  conditions["bare TCP, GB/s"] = bench::rounded(bare);
  conditions["AES-128-GCM, GB/s"] = bench::rounded(cipher);
  conditions["one after the other, GB/s"] = bench::rounded(1 / (1 / bare + 1 / cipher));
  results.push_back({.name = "pages over " + path,
                     .values = speeds,
                     .unit = "GB/s",
                     .limit = bare < cipher ? std::pair{"bare TCP", bare} : std::pair{"AES-128-GCM in one thread", cipher},
                     .conditions = conditions});
  results.push_back({.name = "8 bytes over " + path,
                     .values = latencies,
                     .unit = "us",
                     .limit = {"bare TCP", bench::median(bare_latencies)},
                     .lower_is_better = true,
                     .conditions = {{"rounds", rounds}, {"trips", trips}}});
}

kit::TwoLinks bare(std::pair<octavo::Fd, octavo::Fd> sockets) {
  return {std::make_unique<BareLink>(std::move(sockets.first)), std::make_unique<BareLink>(std::move(sockets.second))};
}

void calls_over_cable(const kit::TwoHosts& hosts, const std::function<kit::TwoLinks()>& tcp, std::vector<bench::Result>& results) {
  bench::Machines machines(hosts);
  std::vector<double> speeds, bare_speeds, cipher_speeds, latencies, bare_latencies;
  for (int i = 0; i < rounds; ++i) {
    auto bare = tcp();
    cipher_speeds.push_back(cipher_speed());
    bare_speeds.push_back(page_speed(bare));
    speeds.push_back(machines.pages_gb_per_second(page_bytes));
    bare_latencies.push_back(round_trip(bare));
    latencies.push_back(machines.round_trip_us());
  }
  double bare = bench::median(bare_speeds), cipher = bench::median(cipher_speeds);
  results.push_back({.name = "pages in calls to another machine",
                     .values = speeds,
                     .unit = "GB/s",
                     .limit = bare < cipher ? std::pair{"bare TCP", bare} : std::pair{"AES-128-GCM in one thread", cipher},
                     .conditions = {{"rounds", rounds}, {"page bytes", page_bytes}}});
  results.push_back({.name = "call to another machine",
                     .values = latencies,
                     .unit = "us",
                     .limit = {"bare TCP", bench::median(bare_latencies)},
                     .lower_is_better = true,
                     .conditions = {{"rounds", rounds}}});
}

void over_cable(std::vector<bench::Result>& results) {
  kit::TwoHosts hosts;
  auto key = road::ClusterKey::make();
  auto tls = [&] {
    auto listener = hosts.on(0, [&] { return std::make_unique<road::TlsListener>(hosts.address(0), 0, key); });
    auto client = std::async(std::launch::async, [&] {
      hosts.enter(1);
      return road::connect_tls(hosts.address(0), listener->port(), key, road::never);
    });
    auto server = kit::take(*listener, 1);
    return kit::TwoLinks{client.get(), std::move(server.front())};
  };
  auto tcp = [&] {
    auto listening = hosts.on(0, [&] { return kit::tcp_listener(hosts.address(0)); });
    auto client = hosts.on(1, [&] { return kit::tcp_to(kit::port_of(listening), hosts.address(1), hosts.address(0)); });
    return bare({std::move(client), kit::tcp_accept(listening)});
  };
  measure("a veth pair", tls, tcp, results);
  hosts.on(0, [&] { calls_over_cable(hosts, tcp, results); });
}

}  // namespace

int main(int argc, char** argv) {
  octavo::serve_if_asked();
  try {
    auto file = bench::json_file(argc, argv);
    std::vector<bench::Result> results;
    measure(
        "loopback", [] { return kit::over_tls(); }, [] { return bare(kit::tcp_pair()); }, results);
    auto missing = kit::TwoHosts::missing();
    if (missing.empty()) over_cable(results);
    else std::printf("%s\n", missing.c_str());
    bench::report(results, file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "link: %s\n", error.what());
    return 1;
  }
}
