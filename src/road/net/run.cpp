// SPDX-License-Identifier: Apache-2.0
// The relay's thread: what it does in a turn, what it sleeps for, and how the link ends.
#include <sched.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "road/net/core.hpp"

namespace octavo::road {

void Relay::Core::watch(int descriptor, std::uint32_t events, void* tag, int operation) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = tag;
  if (::epoll_ctl(poll_.get(), operation, descriptor, &event) != 0) throw io_error_from(errno, "watching a descriptor");
}

void Relay::Core::run() {
  pthread_setname_np(pthread_self(), "octavo-relay");
  heard_ = looked_ = Clock::now();
  while (!stop_.load()) {
    try {
      step();
    } catch (const std::exception& failure) {
      if (linked_) lose(failure.what());
    }
  }
  if (!linked_) return;
  try {
    obey();
    while (!blocked_ && (!batch_.empty() || must_speak())) send();
  } catch (const std::exception&) {  // it ends anyway
  }
  link_->close();
}

void Relay::Core::step() {
  obey();
  delay_point("relay: about to receive");
  receive();
  if (linked_ && link_->lost()) lose(std::string(link_->kind()) + " link: " + link_->why());
  listen_for_life();
  delay_point("relay: about to deliver");
  deliver();
  send();
  delay_point("relay: about to sleep");
  settle();
  sleep();
}

void Relay::Core::obey() {
  if (!called_.exchange(false)) return;
  delay_point("relay: was called");
  std::vector<Command> commands;
  {
    std::lock_guard lock(mutex_);
    commands.swap(commands_);
    if (going_.empty()) {
      going_.swap(controls_);
    } else {
      for (auto& control : controls_) going_.push_back(std::move(control));
      controls_.clear();
    }
  }
  for (auto& command : commands) {
    auto* channel = find(command.number);
    if (command.what == want::open) open_here(std::move(command));
    else if (command.what == want::refuse) refuse_here(command.number);
    else if (channel != nullptr && channel->opened) leave(*channel);
  }
}

bool Relay::Core::something_to_do() {
  if (called_.load() || stop_.load() || (linked_ && readable_)) return true;
  bool can_send = linked_ && !blocked_;
  if (can_send && (!batch_.empty() || must_speak())) return true;
  for (auto* channel : order_) {
    if (can_send && greeted_ && (channel->sendable() != 0 || channel->page_is_next() || channel->must_end() || owes_much(*channel))) return true;
    if (channel->backlog.empty() || !channel->rings) continue;
    channel->rings->out.want_room();
    if (channel->rings->out.room() != 0) return true;
  }
  return false;
}

void Relay::Core::sleep() {
  if (linked_) {
    short events = link_->events(blocked_);
    if (events != watched_) watch(link_->descriptor(), static_cast<std::uint32_t>(events), this, EPOLL_CTL_MOD);
    watched_ = events;
  }
  std::array<epoll_event, 64> events;
  looked_ = Clock::now();
  int n = 0;
  const bool awake = look(events, n);
  const bool sleepy = !awake && bell_.doze([this] { return something_to_do(); });
  if (!awake) {
    n = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), sleepy ? patience(looked_) : 0);
    vigil_.slept(Clock::now() - looked_);
  }
  bool rung = false;
  for (int i = 0; i < n; ++i) {
    void* tag = events.at(static_cast<std::size_t>(i)).data.ptr;
    if (tag == this) readable_ = true, blocked_ = false;
    else if (tag == nullptr) rung = true;
    else static_cast<Channel*>(tag)->socket_ended = true;
  }
  if (!awake || rung) bell_.woke(rung);
}

// An answer that comes soon finds us awake: to be woken takes longer than the way (measured between two machines of two cores).
// True: there is something to do, or some events.
bool Relay::Core::look(std::span<epoll_event> events, int& n) {
  const auto until = looked_ + vigil_.time();
  for (;;) {
    n = ::epoll_wait(poll_.get(), events.data(), static_cast<int>(events.size()), 0);
    if (n != 0 || something_to_do()) {
      vigil_.paid();
      return true;
    }
    if (Clock::now() >= until) break;
    ::sched_yield();
  }
  vigil_.was_in_vain();
  return false;
}

// For how many milliseconds the link may be silent from now on.
int Relay::Core::patience(Deadline now) const {
  if (!linked_) return -1;
  auto left = std::chrono::ceil<std::chrono::milliseconds>(heard_ + (pinged_ ? options_.silence : options_.heartbeat) - now);
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

// Silent until looked_, and nothing was there then: so it is not we who did not listen, as after having been stopped.
void Relay::Core::listen_for_life() {
  if (!linked_ || readable_) return;
  if (link_->awaited()) heard_ = looked_;  // its silence begins when somebody is there
  auto silent = looked_ - heard_;
  if (silent >= options_.silence) {
    lose(std::string(link_->kind()) + " link: nothing came for " + std::to_string(options_.silence.count()) + " ms");
  } else if (silent >= options_.heartbeat && !pinged_) {
    pinged_ = owes_ping_ = true;
  }
}

void Relay::Core::lose(const std::string& why) {
  linked_ = false;
  ::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, link_->descriptor(), nullptr);
  link_->close();
  publish();
  batch_.drop();
  going_.clear();
  {
    std::lock_guard lock(mutex_);
    lost_ = true;
    controls_.clear();
  }
  for (auto* channel : order_) channel->end_received = true;
  if (events_.lost) events_.lost(why);
}

}  // namespace octavo::road
