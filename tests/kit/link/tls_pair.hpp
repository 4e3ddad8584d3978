// SPDX-License-Identifier: Apache-2.0
// Both ends of a TLS link within one program, and what its tests need of TCP.
//
//   auto [a, b] = kit::over_tls();
//   auto [c, d] = kit::tcp_pair();     // two connected sockets
#pragma once

#include <arpa/inet.h>
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

inline TwoLinks over_tls() {
  auto key = road::ClusterKey::make();
  road::TlsListener listener("127.0.0.1", 0, key);
  auto client = connecting("127.0.0.1", listener.port(), key);
  auto server = take(listener, 1);
  return {client.get(), std::move(server.front())};
}

inline sockaddr_in ipv4(const std::string& address, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &made.sin_addr) != 1) throw usage_error("no address: " + address);
  return made;
}

// A socket that is connected, from one of this machine's addresses (127.0.0.2 is one, too).
inline Fd tcp_to(std::uint16_t port, const std::string& from = "127.0.0.1", const std::string& to = "127.0.0.1") {
  Fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto own = ipv4(from, 0), other = ipv4(to, port);
  if (!made || ::bind(made.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 ||
      ::connect(made.get(), reinterpret_cast<sockaddr*>(&other), sizeof other) != 0)
    throw io_error_from(errno, "connecting by TCP");
  return made;
}

// A port at which something listens that is no listener of ours.
inline Fd tcp_listener(const std::string& address = "127.0.0.1") {
  Fd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto own = ipv4(address, 0);
  if (!made || ::bind(made.get(), reinterpret_cast<sockaddr*>(&own), sizeof own) != 0 || ::listen(made.get(), 4) != 0) throw io_error_from(errno, "listening");
  return made;
}
inline std::uint16_t port_of(const Fd& socket) {
  sockaddr_in own{};
  socklen_t size = sizeof own;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) throw io_error_from(errno, "asking for a port");
  return ntohs(own.sin_port);
}
inline Fd tcp_accept(const Fd& listening) { return Fd(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

inline std::pair<Fd, Fd> tcp_pair() {
  Fd listening = tcp_listener();
  Fd client = tcp_to(port_of(listening));
  return {std::move(client), tcp_accept(listening)};
}

}  // namespace octavo::kit
