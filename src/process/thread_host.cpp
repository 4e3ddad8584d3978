// SPDX-License-Identifier: Apache-2.0
#include "process/thread_host.hpp"

#include <pthread.h>

#include <algorithm>

#include "base/start_thread.hpp"
#include "octavo/base/log.hpp"
#include "process/attached_endpoint.hpp"

namespace octavo::detail {

namespace {
constexpr auto most_to_end = std::chrono::seconds(5);  // for a method to return once its program ends
}

ThreadHost::ThreadHost() : patience_(inquiry_patience()) {
  (void)is_logged("anything");  // reads OCTAVO_LOG, here and now
  ::pthread_sigmask(SIG_SETMASK, nullptr, &signals_of_maker_);
}

void ThreadHost::begin(Fd control) {
  auto served = std::make_shared<Served>();
  std::lock_guard lock(mutex_);
  for (auto at = served_.begin(); at != served_.end();) {  // those that were destroyed meanwhile
    if (!(*at)->over) {
      ++at;
      continue;
    }
    (*at)->thread.join();
    at = served_.erase(at);
  }
  served->thread =
      start_thread("for an object", [self = shared_from_this(), served, socket = std::move(control)]() mutable { self->serve(served, std::move(socket)); });
  served_.push_back(served);
}

void ThreadHost::serve(const std::shared_ptr<Served>& served, Fd control) {
  try {
    delay_point("thread: begins");
    ::pthread_sigmask(SIG_SETMASK, &signals_of_maker_, nullptr);
    ::pthread_setname_np(::pthread_self(), "octavo-object");  // else its own threads would bear the name of the watch thread that began it
    AttachedEndpoint attached(std::move(control), Peers::role::thread, runtime_reach::scope, shared_from_this(), all_features());
    {
      std::lock_guard lock(mutex_);
      const auto& self = attached.endpoint().around().self;
      served->object = self.address.object;
      served->class_name = self.class_name;
    }
    const Endpoint::Use mine(attached.endpoint());
    attached.endpoint().serve();
  } catch (const std::exception& e) {
    log_line(std::string("an object on a thread: ") + e.what());
  }
  delay_point("thread: ends");
  std::lock_guard lock(mutex_);
  served->over = true;
  over_.notify_all();
}

std::shared_ptr<road::Connection> ThreadHost::meet(std::uint64_t meeting, int side, const road::Doorbell& mine, const road::Doorbell& peer,
                                                   wire::PageKeeper* keeper) {
  delay_point("thread: meets");
  std::lock_guard lock(mutex_);
  if (auto found = meetings_.find(meeting); found != meetings_.end()) {
    found->second.way.set_keeper(side, keeper);
    auto end = std::move(found->second.other);
    meetings_.erase(found);
    return end;
  }
  road::ThreadRoad way(side == 0 ? mine : peer, side == 0 ? peer : mine);
  way.set_keeper(side, keeper);
  auto [first, second] = way.ends();
  meetings_.emplace(meeting, Meeting{std::move(way), side == 0 ? second : first});
  return side == 0 ? first : second;
}

void ThreadHost::join_all() {
  std::unique_lock lock(mutex_);
  auto deadline = std::chrono::steady_clock::now() + most_to_end;
  auto ended = [this] { return std::all_of(served_.begin(), served_.end(), [](const auto& each) { return each->over; }); };
  over_.wait_until(lock, deadline, ended);
  for (auto& served : std::exchange(served_, {})) {
    if (served->over) {
      served->thread.join();
      continue;
    }
    log_line(served->class_name + " (object " + std::to_string(served->object) + ") on a thread has not returned from its method: it is left behind");
    served->thread.detach();
  }
}

}  // namespace octavo::detail
