// SPDX-License-Identifier: Apache-2.0
// A numeric address and a port in one word, as addresses of links have them: "10.0.0.1:4711", "[fd00::3]:4711".
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace octavo::road {

std::string host_and_port(const std::string& host, std::uint16_t port);
// Throws usage_error where there is no port.
std::pair<std::string, std::uint16_t> host_and_port(const std::string& where);

}  // namespace octavo::road
