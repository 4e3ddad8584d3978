// SPDX-License-Identifier: Apache-2.0
#include "machine/host/interfaces.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace {

bool is_numeric(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 || ::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

// Empty: no address that another machine could use.
std::string numeric(const sockaddr& address) {
  std::array<char, NI_MAXHOST> text{};
  const auto size = address.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (::getnameinfo(&address, static_cast<socklen_t>(size), text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  const std::string found = text.data();
  return found.find('%') == std::string::npos ? found : std::string();  // a link-local one names the interface of this machine
}

}  // namespace

std::string address_on(const std::string& interface_or_address) {
  if (is_numeric(interface_or_address)) return interface_or_address;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) throw io_error_from(errno, "reading this machine's network interfaces");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(list, &::freeifaddrs);
  std::string known, six;
  for (const auto* each = list; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const auto family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    std::string address = numeric(*each->ifa_addr);
    if (address.empty()) continue;
    known += (known.empty() ? "" : ", ") + std::string(each->ifa_name) + " (" + address + ")";
    if (interface_or_address != each->ifa_name) continue;
    if (family == AF_INET) return address;
    if (six.empty()) six = address;
  }
  if (!six.empty()) return six;
  throw usage_error("'" + interface_or_address + "' is neither a numeric address nor a network interface of this machine that is up and has one",
                    "There are: " + (known.empty() ? "none" : known));
}

std::string address_towards(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* list = nullptr;
  if (::getaddrinfo(host.c_str(), "9", &hints, &list) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> all(list, &::freeaddrinfo);
  for (const auto* each = list; each != nullptr; each = each->ai_next) {
    const Fd socket(::socket(each->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (!socket || ::connect(socket.get(), each->ai_addr, each->ai_addrlen) != 0) continue;  // of a datagram socket: only the way is looked up
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) continue;
    if (auto address = numeric(*reinterpret_cast<const sockaddr*>(&own)); !address.empty()) return address;
  }
  return {};
}

}  // namespace octavo
