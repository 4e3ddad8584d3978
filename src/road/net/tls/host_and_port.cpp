// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/host_and_port.hpp"

#include <charconv>

#include "octavo/base/error.hpp"

namespace octavo::road {

std::string host_and_port(const std::string& host, std::uint16_t port) {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::pair<std::string, std::uint16_t> host_and_port(const std::string& where) {
  const auto colon = where.rfind(':');
  const auto number = colon == std::string::npos ? std::string_view() : std::string_view(where).substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (number.empty() || failed != std::errc() || end != number.data() + number.size())
    throw usage_error("'" + where + "' does not end in a port", "Write it as 10.0.0.1:4711, or [fd00::3]:4711");
  std::string host = where.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return {host, port};
}

}  // namespace octavo::road
