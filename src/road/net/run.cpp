// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/epoll.h>

#include <array>

#include "base/delay_point.hpp"
#include "road/net/core.hpp"
#include "road/net/watch.hpp"

namespace octavo::road {

void Relay::Core::run() {
  pthread_setname_np(pthread_self(), "octavo-relay");
  looked_ = Clock::now();
  stream_.begin(looked_);
  while (!stop_.load()) {
    try {
      turn();
    } catch (const std::exception& failure) {
      if (stream_.linked()) lose(failure.what());
    }
  }
  if (!stream_.linked()) return;
  try {
    serve_requests();
    stream_.send_last();
  } catch (const std::exception&) {
    stream_.end();  // it ends anyway
  }
}

void Relay::Core::turn() {
  serve_requests();
  delay_point("relay: about to receive");
  stream_.receive();
  if (const auto why = stream_.why_lost(looked_); !why.empty()) lose(why);
  delay_point("relay: about to deliver");
  channels_.deliver();
  stream_.send();
  delay_point("relay: about to sleep");
  channels_.settle();
  sleep();
}

void Relay::Core::serve_requests() {
  if (!requests_.are_there()) return;
  delay_point("relay: was called");
  auto taken = requests_.take();
  stream_.add_controls(std::move(taken.controls));
  for (auto& [what, channel, opening] : taken.requests) {
    switch (what) {
      case net::Requests::kind::open: channels_.open(channel, std::move(*opening)); break;
      case net::Requests::kind::close: channels_.close(channel); break;
      case net::Requests::kind::refuse: channels_.refuse(channel); break;
    }
  }
}

bool Relay::Core::has_work() const { return requests_.are_there() || stop_.load() || stream_.has_work() || channels_.has_work(stream_.can_send()); }

void Relay::Core::sleep() {
  if (stream_.linked()) {
    short events = stream_.events();
    if (events != watched_) net::watch(poll_, EPOLL_CTL_MOD, stream_.descriptor(), static_cast<std::uint32_t>(events), this);
    watched_ = events;
  }
  std::array<epoll_event, 64> events;
  looked_ = Clock::now();
  int n = 0;
  const bool awake = spin(events, n);
  const bool sleepy = !awake && bell_.doze([this] { return has_work(); });
  if (!awake) {
    n = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), sleepy ? stream_.patience(looked_) : 0);
    spin_.slept(static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - looked_).count()));
  }
  bool rung = false;
  for (int i = 0; i < n; ++i) {
    void* tag = events.at(static_cast<std::size_t>(i)).data.ptr;
    if (tag == this) stream_.polled();
    else if (tag == nullptr) rung = true;
    else net::Channels::socket_ended(tag);
  }
  if (!awake || rung) bell_.woke(rung);
}

// An answer that comes soon finds this thread awake: to wake it takes longer than the way (measured between two machines of two cores).
// True: there is something to do, or some events.
bool Relay::Core::spin(std::span<epoll_event> events, int& n) {
  const auto until = looked_ + std::chrono::nanoseconds(spin_.now());
  for (;;) {
    n = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), 0);
    if (n != 0 || has_work()) {
      spin_.paid();
      return true;
    }
    if (Clock::now() >= until) break;
    ::sched_yield();
  }
  spin_.was_in_vain();
  return false;
}

void Relay::Core::lose(const std::string& why) {
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, stream_.descriptor(), nullptr);
  stream_.end();
  requests_.link_lost();
  if (events_.lost) events_.lost(why);
}

}  // namespace octavo::road
