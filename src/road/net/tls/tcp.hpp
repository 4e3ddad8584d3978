// SPDX-License-Identifier: Apache-2.0
// TCP addresses and sockets as the links use them.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "octavo/base/fd.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road::tls {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = sizeof(sockaddr_storage);
  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  [[nodiscard]] std::string host() const;  // "10.0.0.3", "fd00::3"
  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::string text() const;  // "10.0.0.3:4711", "[fd00::3]:4711"
  [[nodiscard]] bool is_any() const;       // 0.0.0.0, ::
};

// Names are not looked up: that can take long, and asks others. Throws usage_error.
Address numeric_address(const std::string& address, std::uint16_t port);
Fd tcp_socket(const Address& of);  // of its family, not blocking. Throws io_error
// No delay for small sends; a peer that confirms nothing for `silence` is given up by the kernel. Throws io_error.
void tune(int socket, std::chrono::milliseconds silence);
void check_silence(std::chrono::milliseconds silence);  // throws usage_error
// For poll: until then, -1 for never.
int milliseconds_until(Deadline deadline);

}  // namespace octavo::road::tls
