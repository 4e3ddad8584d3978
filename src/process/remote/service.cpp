// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/service.hpp"

#include <algorithm>
#include <mutex>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"

namespace octavo {

struct Service::Parts {
  std::vector<remote_ptr<Worker>> workers;
  std::mutex mutex;
  std::vector<std::vector<std::weak_ptr<detail::StateBase>>> calls;  // of each worker, under way or lately so
  std::vector<bool> dead;
  std::size_t next = 0;  // where to look first, so that equals take turns

  // With the mutex held.
  std::size_t count(std::size_t worker) {
    std::erase_if(calls[worker], [](const auto& weak) {
      auto call = weak.lock();
      return !call || call->ready();
    });
    return calls[worker].size();
  }
  bool lives(std::size_t worker) {
    if (!dead[worker]) dead[worker] = detail::Endpoint::require().peers().obituary_of(workers[worker].address()).has_value();
    return !dead[worker];
  }
};

Service::Service(std::vector<remote_ptr<Worker>> workers) : parts_(std::make_shared<Parts>()) {
  if (workers.empty()) throw usage_error("a service without workers", "Make it of one octavo::Worker or more");
  parts_->calls.resize(workers.size());
  parts_->dead.resize(workers.size());
  parts_->workers = std::move(workers);
}

const std::vector<remote_ptr<Worker>>& Service::workers() const noexcept { return parts_->workers; }

std::vector<remote_ptr<Worker>> Service::living() const {
  std::vector<remote_ptr<Worker>> all;
  std::lock_guard lock(parts_->mutex);
  for (std::size_t i = 0; i < parts_->workers.size(); ++i)
    if (parts_->lives(i)) all.push_back(parts_->workers[i]);
  return all;
}

std::vector<std::size_t> Service::under_way() const {
  std::vector<std::size_t> counts;
  std::lock_guard lock(parts_->mutex);
  for (std::size_t i = 0; i < parts_->workers.size(); ++i) counts.push_back(parts_->count(i));
  return counts;
}

std::size_t Service::take_turn(const std::shared_ptr<detail::StateBase>& call) const {
  // Takes in the replies that have come, without waiting for any: who is done is known only then.
  detail::wait_until([first = true]() mutable { return !std::exchange(first, false); }, std::chrono::steady_clock::now());
  std::lock_guard lock(parts_->mutex);
  std::size_t workers = parts_->workers.size(), best = workers, fewest = SIZE_MAX;
  for (std::size_t i = 0; i < workers; ++i) {
    std::size_t worker = (parts_->next + i) % workers;
    if (!parts_->lives(worker) || parts_->count(worker) >= fewest) continue;
    best = worker;
    fewest = parts_->count(worker);
  }
  if (best == workers)
    throw gone_error("none of the " + std::to_string(workers) + " workers of this service lives any more", "Make a new service of new workers");
  parts_->next = (best + 1) % workers;
  parts_->calls[best].push_back(call);
  return best;
}

void Service::avoid(std::size_t worker) const {
  std::lock_guard lock(parts_->mutex);
  parts_->dead[worker] = true;
}

void destroy(const Service& service) {
  std::exception_ptr lost;  // what a dropped future of some call would have thrown: told when all have ended
  for (std::size_t i = 0; i < service.workers().size(); ++i) {
    try {
      service.avoid(i);
      destroy(service.workers()[i]);
    } catch (const process_died&) {  // it is gone already, which is what we want
    } catch (...) {
      lost = std::current_exception();
    }
  }
  if (lost) std::rethrow_exception(lost);
}

}  // namespace octavo
