// SPDX-License-Identifier: Apache-2.0
#include "road/net/steady/dialer.hpp"

#include <pthread.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <csignal>

#include "base/blocked_signals.hpp"
#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"

namespace octavo::road {

Carriers::Waiting::Waiting() : event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event) throw io_error_from(errno, "making a steady link");
}

void Carriers::Waiting::put(Carrier carrier) {
  std::lock_guard lock(mutex);
  carriers.push_back(std::move(carrier));
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event.get(), &one, sizeof one);
}

void Carriers::Waiting::fail(const std::string& why) {
  std::lock_guard lock(mutex);
  if (no_more.empty()) no_more = why;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(event.get(), &one, sizeof one);
}

void Carriers::carry(std::unique_ptr<Link> carrier, const SteadyGreeting& theirs) { waiting_->put({std::move(carrier), theirs}); }
void Carriers::fail(const std::string& why) { waiting_->fail(why); }

namespace steady {

namespace {
constexpr auto pause = std::chrono::milliseconds(100);  // who cannot be reached now is tried again
}

void Dialer::dial() {
  const BlockedSignals blocked;
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
    waiting_->put({dial_(), std::nullopt});
  } catch (const refused& never) {
    waiting_->fail(never.what());
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
