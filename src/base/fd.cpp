// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/fd.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo {

std::pair<Fd, Fd> socket_pair(int type, const std::string& doing) {
  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw io_error_from(errno, doing);
  return {Fd(sockets[0]), Fd(sockets[1])};
}

}  // namespace octavo
