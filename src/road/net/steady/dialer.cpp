// SPDX-License-Identifier: Apache-2.0
#include "road/net/steady/dialer.hpp"

#include <pthread.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <condition_variable>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"

namespace octavo::road {

Carriers::Carriers() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_) throw io_error_from(errno, "making a steady link");
}

void Carriers::carry(std::unique_ptr<Link> carrier, const std::optional<SteadyGreeting>& theirs) {
  std::lock_guard lock(mutex_);
  came_.push_back({std::move(carrier), theirs});
  say();
}

void Carriers::no_more(const std::string& why) {
  std::lock_guard lock(mutex_);
  if (no_more_.empty()) no_more_ = why;
  say();
}

void Carriers::fail(const std::string& why) {
  std::lock_guard lock(mutex_);
  if (!std::exchange(failed_, true)) no_more_ = why;
  say();
}

void Carriers::say() {
  said_ = true;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event_.get(), &one, sizeof one);
}

Carriers::Taken Carriers::take() {
  std::lock_guard lock(mutex_);
  Taken taken{std::exchange(came_, {}), no_more_, failed_};
  std::uint64_t count = 0;
  if (std::exchange(said_, false)) [[maybe_unused]]
    auto n = ::read(event_.get(), &count, sizeof count);
  return taken;
}

namespace steady {

namespace {
constexpr auto pause = std::chrono::milliseconds(100);  // before a peer that cannot be reached now is tried again
}

void Dialer::dial() {
  thread_ = start_thread<std::jthread>("that calls another machine", [this](const std::stop_token& stop) {
    pthread_setname_np(pthread_self(), "octavo-dial");
    run(stop);
  });
}

void Dialer::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

bool Dialer::try_once() {
  try {
    carriers_->carry(dial_(), std::nullopt);
  } catch (const refused& never) {
    carriers_->fail(never.what());
  } catch (const error&) {  // not now
    return false;
  }
  return true;
}

void Dialer::run(const std::stop_token& stop) {
  std::mutex nobody;
  std::condition_variable_any stopped;
  while (!stop.stop_requested() && !try_once()) {
    std::unique_lock lock(nobody);
    stopped.wait_for(lock, stop, pause, [] { return false; });
  }
}

}  // namespace steady
}  // namespace octavo::road
