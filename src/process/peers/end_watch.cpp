// SPDX-License-Identifier: Apache-2.0
#include "process/peers/end_watch.hpp"

#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo::detail {

EndWatch::EndWatch() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

void EndWatch::watch(int descriptor) const {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = descriptor;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) throw io_error_from(errno, "watching a connection");
}

void EndWatch::watch(const std::shared_ptr<road::Connection>& connection) {
  const int end = connection->watch();
  if (end < 0) return;
  std::lock_guard lock(mutex_);
  watch(end);
  watched_[end] = connection;
}

void EndWatch::forget(const road::Connection& connection) noexcept {
  const int end = connection.watch();
  std::lock_guard lock(mutex_);
  if (watched_.erase(end) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, end, nullptr);
}

std::vector<int> EndWatch::wait(std::chrono::milliseconds time) const {
  std::array<epoll_event, 16> events{};
  const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), static_cast<int>(time.count()));
  std::vector<int> readable(static_cast<std::size_t>(std::max(n, 0)));
  std::transform(events.begin(), events.begin() + std::max(n, 0), readable.begin(), [](const epoll_event& event) { return event.data.fd; });
  return readable;
}

bool EndWatch::hear(int descriptor) {
  std::shared_ptr<road::Connection> connection;
  {
    std::lock_guard lock(mutex_);
    auto found = watched_.find(descriptor);
    connection = found != watched_.end() ? found->second.lock() : nullptr;
    pollfd end{descriptor, POLLIN | POLLRDHUP, 0};
    if (!connection || ::poll(&end, 1, 0) <= 0) return false;  // wait() may have said so of a connection that was closed since
    watched_.erase(found);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  }
  connection->notice_gone();
  return true;
}

}  // namespace octavo::detail
