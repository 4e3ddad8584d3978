// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/waker.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

#include "octavo/base/error.hpp"
#include "road/net/watch.hpp"

namespace octavo::road::files {

Waker::Waker(const std::string& directory, const Options& options)
    : options_(options),
      poll_(::epoll_create1(EPOLL_CLOEXEC)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!poll_ || !timer_ || !event_) throw io_error_from(errno, "waiting for messages in '" + directory + "'");
  watch(timer_.get());
  watch(event_.get());
  if (!options.inotify) return;
  inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));  // none: this user has as many as the kernel gives
  if (inotify_ && ::inotify_add_watch(inotify_.get(), directory.c_str(), (options.linked ? IN_CREATE : IN_MOVED_TO) | IN_ONLYDIR) >= 0) watch(inotify_.get());
  else inotify_.reset();
}

void Waker::watch(int also) { net::watch(poll_, EPOLL_CTL_ADD, also, EPOLLIN); }
void Waker::unwatch(int also) { ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, also, nullptr); }

namespace {

std::size_t events_in(std::span<const char> read) {
  std::size_t count = 0;
  while (read.size() >= sizeof(inotify_event)) {
    inotify_event event{};
    std::memcpy(&event, read.data(), sizeof event);
    read = read.subspan(std::min(read.size(), sizeof event + event.len));
    ++count;
  }
  return count;
}

}  // namespace

void Waker::clear() {
  std::array<char, 4096> events;
  std::uint64_t count = 0;
  if (const ssize_t n = inotify_ ? ::read(inotify_.get(), events.data(), events.size()) : 0; n > 0) {
    is_told_ = true;
    told_ += events_in(std::span(events).first(static_cast<std::size_t>(n)));
  }
  if (is_armed_ && ::read(timer_.get(), &count, sizeof count) > 0) {
    is_armed_ = false;
    is_due_ = true;
  }
  if (std::exchange(is_woken_, false)) [[maybe_unused]]
    auto n = ::read(event_.get(), &count, sizeof count);
}

void Waker::came() {
  pause_ = first_pause;
  if (told_ != 0) --told_;
}

// A file that was found before inotify was asked is told of later: then there is one look too many.
void Waker::nothing_there() {
  is_due_ = false;
  is_even_ = true;
  told_ = 0;
}

void Waker::sleep() {
  if (is_told_ && !was_told_) is_armed_ = false;  // by a short pause
  was_told_ = is_told_;
  if (is_told_ && options_.trusted) return is_armed_ ? void() : arm(slow_look);
  arm(pause_);
  pause_ = std::min(2 * pause_, options_.longest_pause);
}

void Waker::arm(std::chrono::microseconds pause) {
  is_armed_ = true;
  itimerspec when{};
  when.it_value = {pause.count() / 1'000'000, pause.count() % 1'000'000 * 1000};
  ::timerfd_settime(timer_.get(), 0, &when, nullptr);
}

void Waker::wake() {
  is_woken_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event_.get(), &one, sizeof one);
}

}  // namespace octavo::road::files
