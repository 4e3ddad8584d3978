// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/tcp.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "octavo/base/error.hpp"

namespace octavo::road::tls {

std::string Address::host() const {
  std::array<char, NI_MAXHOST> host{};
  return ::getnameinfo(get(), size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? host.data() : "?";
}

std::uint16_t Address::port() const {
  in_port_t port =
      storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port : reinterpret_cast<const sockaddr_in&>(storage).sin_port;
  return ntohs(port);
}

std::string Address::text() const {
  auto name = host();
  return (storage.ss_family == AF_INET6 ? "[" + name + "]" : name) + ":" + std::to_string(port());
}

bool Address::is_any() const {
  if (storage.ss_family == AF_INET) return reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr == htonl(INADDR_ANY);
  const auto& address = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
  static constexpr std::array<unsigned char, 16> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};
  return std::memcmp(&address, &in6addr_any, sizeof address) == 0 || std::memcmp(&address, mapped.data(), sizeof address) == 0;
}

// getaddrinfo alone would also take "*", "10.1" and "0x7f.1".
Address numeric_address(const std::string& address, std::uint16_t port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_family = address.find(':') != std::string::npos ? AF_INET6 : AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  in_addr four{};
  if ((hints.ai_family == AF_INET && ::inet_pton(AF_INET, address.c_str(), &four) != 1) ||
      ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    throw usage_error("'" + address + "' is no numeric address", "Write it like 10.0.0.3 or fd00::3 (`ip addr` lists this machine's)");
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  Address result;
  std::memcpy(&result.storage, found->ai_addr, found->ai_addrlen);
  result.size = found->ai_addrlen;
  return result;
}

Fd tcp_socket(const Address& of) {
  Fd made(::socket(of.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP));
  if (!made) throw io_error_from(errno, "making a TCP socket");
  return made;
}

void tune(int socket, std::chrono::milliseconds silence) {
  auto set = [&](int level, int name, int value) {
    if (::setsockopt(socket, level, name, &value, sizeof value) != 0) throw io_error_from(errno, "preparing a TCP socket");
  };
  int seconds = static_cast<int>(std::chrono::floor<std::chrono::seconds>(silence).count());
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // While bytes wait, TCP_USER_TIMEOUT decides. While none do, the kernel asks after half the time, and decides by the same.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 2));
  set(IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 8));
  set(IPPROTO_TCP, TCP_KEEPCNT, 8);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(silence.count() - std::max(1, seconds / 8) * 1000L));
}

void check_silence(std::chrono::milliseconds silence) {
  using namespace std::chrono_literals;
  if (silence < 2s || silence > 24h) throw usage_error("a link's silence of " + std::to_string(silence.count()) + " ms", "Choose 2 seconds to 24 hours");
}

int milliseconds_until(Deadline deadline) {
  if (deadline == never) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace octavo::road::tls
