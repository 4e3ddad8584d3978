// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/callers.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::engine {

namespace {

constexpr auto greeting_patience = std::chrono::seconds(5);
constexpr int look_again_ms = 500;
constexpr auto longest_awaited = std::chrono::minutes(2);

}  // namespace

Callers::Callers(const std::string& address, const road::ClusterKey& key, const road::LinkTerms& terms)
    : listener_(road::listen(address, key, terms)), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw io_error_from(errno, "listening for agents");
  thread_ = start_thread<std::jthread>("that waits for agents", [this](const std::stop_token& stop) { run(stop); });
}

Callers::~Callers() {
  thread_.request_stop();
  wake();
  thread_.join();
  send_away();
}

void Callers::send_away() {
  std::lock_guard lock(mutex_);
  for (auto& each : known_) each.carriers->no_more("its program has ended");
  known_.clear();
}

void Callers::wake() const {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event_.get(), &one, sizeof one);
}

Callers::Expected Callers::expect(std::function<void()> called) {
  Expected made{road::Session::make(), nullptr};
  made.link = std::make_unique<road::SteadyLink>(made.session, road::SteadyLink::Dial(), road::SteadyOptions{.least_silence = kind().least_silence});
  std::lock_guard lock(mutex_);
  if (called) forget_old();
  known_.push_back({made.session, made.link->carriers(), false, std::move(called)});
  return made;
}

// Links that have ended, and callers that never came.
void Callers::forget_old() {
  const auto now = road::Clock::now();
  std::erase_if(known_, [&](const Known& each) { return each.called ? each.carriers.use_count() == 1 : now - each.since > longest_awaited; });
}

bool Callers::have(const road::Session& session) {
  std::lock_guard lock(mutex_);
  return std::any_of(known_.begin(), known_.end(), [&](const auto& each) { return each.session == session && each.called; });
}

void Callers::give_up(const road::Session& session, const std::string& why) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& each) { return each.session == session; });
  if (found == known_.end()) return;
  found->carriers->fail(why);
  known_.erase(found);
}

void Callers::bring(Fd from, Fd to) {
  std::lock_guard lock(mutex_);
  brought_.push_back({std::move(from), std::move(to)});
  wake();
}

void Callers::run(const std::stop_token& stop) {
  pthread_setname_np(pthread_self(), "octavo-callers");
  while (!stop.stop_requested()) {
    try {
      sleep();
      take_brought();
      take_callers();
    } catch (const std::exception& e) {
      log_line(std::string("who waits for agents: ") + e.what());
    }
  }
}

void Callers::take_brought() {
  std::vector<Ends> brought;
  {
    std::lock_guard lock(mutex_);
    brought.swap(brought_);
  }
  for (auto& each : brought) listener_->bring(std::move(each.from), std::move(each.to));
}

// Until something is to be done.
void Callers::sleep() {
  std::vector<pollfd> polls{{listener_->descriptor(), POLLIN, 0}, {event_.get(), POLLIN, 0}};
  for (auto& caller : callers_) polls.push_back({caller.link->descriptor(), caller.link->events(false), 0});
  ::poll(polls.data(), polls.size(), callers_.empty() ? -1 : look_again_ms);
  std::uint64_t count = 0;
  if ((polls[1].revents & POLLIN) != 0) [[maybe_unused]]
    auto n = ::read(event_.get(), &count, sizeof count);
}

void Callers::take_callers() {
  for (auto& link : listener_->take()) callers_.push_back({std::move(link), {}, 0, road::Clock::now() + greeting_patience});
  std::erase_if(callers_, [this](Caller& caller) { return hear(caller); });
}

// True when it is done with: connected, refused or gone.
bool Callers::hear(Caller& caller) {
  auto rest = std::as_writable_bytes(std::span(&caller.greeting, 1)).subspan(caller.came);
  caller.came += caller.link->receive(std::span(&rest, 1));
  if (caller.came == sizeof caller.greeting) {
    connect(caller);
    return true;
  }
  return caller.link->lost() || road::Clock::now() > caller.until;
}

void Callers::connect(Caller& caller) {
  std::lock_guard lock(mutex_);
  auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& each) { return each.session == caller.greeting.session; });
  if (found != known_.end()) {
    found->called = true;
    found->carriers->carry(std::move(caller.link), caller.greeting);
    if (const auto tell = std::exchange(found->tell, {})) tell();
    return;
  }
  // It was given up, or never was: it hears so, and does not try again.
  road::SteadyGreeting no;
  ByteView bytes = std::as_bytes(std::span(&no, 1));
  [[maybe_unused]] auto n = caller.link->send(std::span(&bytes, 1));
  caller.link->close();
}

}  // namespace octavo::engine
