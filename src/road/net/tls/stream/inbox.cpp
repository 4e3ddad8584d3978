// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/inbox.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace octavo::road::tls {

bool Inbox::fill(int socket) {
  if (begin_ != 0) {  // at most one record, begun, is moved
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  ssize_t n = 0;
  do {
    n = ::recv(socket, bytes_.data() + end_, bytes_.size() - end_, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  drained_ = n < static_cast<ssize_t>(bytes_.size() - end_);
  ended_ = n == 0;
  error_ = n < 0 && errno != EAGAIN ? errno : 0;
  if (n > 0) end_ += static_cast<std::size_t>(n);
  return n > 0;
}

}  // namespace octavo::road::tls
