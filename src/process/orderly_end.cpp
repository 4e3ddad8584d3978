// SPDX-License-Identifier: Apache-2.0
#include "process/orderly_end.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>

#include "base/start_thread.hpp"

namespace octavo::detail {

namespace {
using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(5);

// Into the last lines that the agent tells of. Nobody may read them any more: they are not waited for.
void say_that_destructor_hangs() {
  constexpr std::string_view what = "octavo: the object's destructor did not return within 5 s, so its process was ended\n";
  pollfd out{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&out, 1, 0) == 1) (void)!::write(STDERR_FILENO, what.data(), what.size());
}
}  // namespace

bool OrderlyEnd::over_within(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, time, [this] { return over_; });
}

// A method that has answered shows as running for a moment, and one that waits for another object has just been told that nobody answers.
void OrderlyEnd::agent_is_lost(const OwnRow& row) {
  constexpr std::chrono::milliseconds look_again{20}, may_return{300};
  const auto until = Clock::now() + patience;
  std::optional<Clock::time_point> runs_since;
  for (bool asked = false; !over_within(look_again) && Clock::now() < until;) {
    if (!row.runs_method()) runs_since.reset();
    else if (!runs_since) runs_since = Clock::now();
    if (asked || !runs_since || Clock::now() < *runs_since + may_return) continue;
    asked = true;
    const bool heard = hooks_.interrupt && hooks_.interrupt();
    if (!heard && !over_within({})) break;
  }
  if (over_within({})) std::this_thread::sleep_until(until);
  ::_exit(0);
}

void OrderlyEnd::serving_is_over() {
  std::lock_guard lock(mutex_);
  over_ = true;
  changed_.notify_all();
}

void OrderlyEnd::finish(const std::function<void()>& destroy) const {
  auto destroyed = std::make_shared<std::atomic<bool>>(false);
  start_thread("that ends what takes too long to end", [destroyed] {
    std::this_thread::sleep_for(patience);
    if (*destroyed) ::_exit(0);
    say_that_destructor_hangs();
    ::_exit(1);
  }).detach();
  hooks_.finish([&destroy, &destroyed] {
    destroy();
    *destroyed = true;
  });
}

}  // namespace octavo::detail
