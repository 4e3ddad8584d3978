// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/linger.hpp"

#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/start_thread.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road::tls {

namespace {

class Ending {
 public:
  Ending(Fd socket, std::vector<std::byte> rest) : socket_(std::move(socket)), rest_(std::move(rest)) {}

  // One step. True when nothing more can be done for the other side.
  bool over() {
    while (sent_ < rest_.size()) {
      ssize_t n = ::send(socket_.get(), rest_.data() + sent_, rest_.size() - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return errno != EAGAIN || ended();
      sent_ += static_cast<std::size_t>(n);
    }
    if (!shut_) ::shutdown(socket_.get(), SHUT_WR);
    shut_ = true;
    int on_the_way = 0;  // what the other side's kernel has not confirmed, the end included
    return ::ioctl(socket_.get(), SIOCOUTQ, &on_the_way) != 0 || on_the_way == 0 || ended();
  }

  void wait_until(Deadline deadline) {
    using namespace std::chrono_literals;
    for (auto step = 1ms; !over() && Clock::now() < deadline; step = std::min(2 * step, 100ms)) {  // the kernel does not say when all is confirmed
      pollfd poll{socket_.get(), static_cast<short>(shut_ ? POLLIN : POLLIN | POLLOUT), 0};
      ::poll(&poll, 1, static_cast<int>(step.count()));
    }
  }

 private:
  // Reads what nobody wants any more, or the other side may wait for room and never get to our end.
  bool ended() {
    std::array<std::byte, 4096> room;
    for (int i = 0; i < 64; ++i) {
      ssize_t n = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n == 0 || errno != EAGAIN;
    }
    return false;
  }

  Fd socket_;
  std::vector<std::byte> rest_;
  std::size_t sent_ = 0;
  bool shut_ = false;
};

}  // namespace

void linger(Fd socket, std::vector<std::byte> rest, std::chrono::milliseconds patience) {
  auto ending = std::make_unique<Ending>(std::move(socket), std::move(rest));
  if (ending->over()) return;
  start_detached("octavo-linger", [ending = std::move(ending), deadline = Clock::now() + patience] { ending->wait_until(deadline); });
}

}  // namespace octavo::road::tls
