// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/common/event_loop.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {

constexpr std::uint64_t stop_key = 0;

void add_to(const Fd& epoll, int descriptor, std::uint64_t key) {
  epoll_event event{EPOLLIN, {.u64 = key}};
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) throw io_error_from(errno, "watching a process");
}

void signal_event(const Fd& event) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event.get(), &one, sizeof one);
}

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), stop_(::eventfd(0, EFD_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!epoll_ || !stop_ || !wake_) throw io_error_from(errno, "starting the agent");
  add_to(epoll_, stop_.get(), stop_key);
  watch(wake_.get(), [this](std::uint32_t) { run_posted(); });
}

void EventLoop::watch(int descriptor, Ready ready) {
  const auto key = next_key_++;
  add_to(epoll_, descriptor, key);
  keys_[descriptor] = key;
  handlers_.emplace(key, std::make_shared<const Ready>(std::move(ready)));
}

void EventLoop::also_writable(int descriptor, bool writable) const {
  auto known = keys_.find(descriptor);
  if (known == keys_.end()) return;
  epoll_event event{writable ? EPOLLIN | EPOLLOUT : EPOLLIN, {.u64 = known->second}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void EventLoop::unwatch(int descriptor) {
  auto known = keys_.find(descriptor);
  if (known == keys_.end()) return;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, descriptor, nullptr);
  handlers_.erase(known->second);
  keys_.erase(known);
}

void EventLoop::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  signal_event(wake_);
}

void EventLoop::stop() noexcept { signal_event(stop_); }

void EventLoop::run(const std::function<int()>& most_ms, const std::function<void()>& after_round) {
  std::array<epoll_event, 64> events{};
  for (;;) {
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), most_ms());
    for (int i = 0; i < n; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == stop_key) return;
      auto known = handlers_.find(event.data.u64);
      if (known == handlers_.end()) continue;
      attempt("at its work", [&, ready = known->second] { (*ready)(event.events); });  // a copy: it may be unwatched by what it calls
    }
    attempt("looking around", after_round);
  }
}

void EventLoop::run_posted() {
  std::uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(wake_.get(), &count, sizeof count);
  std::deque<std::function<void()>> now;
  {
    std::lock_guard lock(mutex_);
    now.swap(posted_);
  }
  for (auto& work : now) attempt("at what other machines say", work);
}

}  // namespace octavo::agent
