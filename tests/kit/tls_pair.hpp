// SPDX-License-Identifier: Apache-2.0
// Both ends of a TLS link within one program, and what its tests need of TCP.
//
//   auto [a, b] = kit::over_tls();
//   auto [c, d] = kit::tcp_pair();     // two connected sockets
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::kit {

using TwoLinks = std::pair<std::unique_ptr<road::Link>, std::unique_ptr<road::Link>>;

inline void poll_for(int descriptor, short events) {
  pollfd poll{descriptor, events, 0};
  while (::poll(&poll, 1, -1) < 0 && errno == EINTR) {}
}

// Until so many links have come; others may try meanwhile. A Watchdog bounds it.
inline std::vector<std::unique_ptr<road::Link>> take(road::TlsListener& listener, std::size_t count) {
  std::vector<std::unique_ptr<road::Link>> all;
  while (all.size() < count) {
    poll_for(listener.descriptor(), POLLIN);
    for (auto& link : listener.take()) all.push_back(std::move(link));
  }
  return all;
}

inline std::future<std::unique_ptr<road::Link>> connecting(const std::string& address, std::uint16_t port, const road::ClusterKey& key,
                                                            const road::TlsOptions& options = {}) {
  return std::async(std::launch::async, [=] { return road::connect_tls(address, port, key, road::Clock::now() + std::chrono::minutes(1), options); });
}

inline TwoLinks over_tls(const road::TlsOptions& options = {}) {
  auto key = road::ClusterKey::make();
  road::TlsListener listener("127.0.0.1", 0, key, {.links = options});
  auto client = connecting("127.0.0.1", listener.port(), key, options);
  auto server = take(listener, 1);
  return {client.get(), std::move(server.front())};
}

// A socket that is connected to this port, from another of this machine's addresses if so wished (127.0.0.2).
inline Fd tcp_to(std::uint16_t port, const std::string& from = "127.0.0.1") {
  Fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{}, other{};
  own.sin_family = other.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(from == "127.0.0.1" ? INADDR_LOOPBACK : INADDR_LOOPBACK + 1);
  other.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  other.sin_port = htons(port);
  if (!made || ::bind(made.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 ||
      ::connect(made.get(), reinterpret_cast<sockaddr*>(&other), sizeof other) != 0)
    throw io_error_from(errno, "connecting by TCP");
  return made;
}

inline std::pair<Fd, Fd> tcp_pair() {
  Fd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  if (!listening || ::bind(listening.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 || ::listen(listening.get(), 1) != 0 ||
      ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0)
    throw io_error_from(errno, "listening");
  Fd client = tcp_to(ntohs(own.sin_port));
  return {std::move(client), Fd(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC))};
}

}  // namespace octavo::kit
