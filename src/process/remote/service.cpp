// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/service.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/remote/machine_load.hpp"

namespace octavo {

struct Service::Parts {
  Parts(std::vector<remote_ptr<Worker>> of, LoadSource source)
      : workers(std::move(of)), calls(workers.size()), dead(workers.size()), load(number_machines(), std::move(source)) {}

  std::vector<remote_ptr<Worker>> workers;
  std::vector<std::size_t> machines;  // of each worker
  std::mutex mutex;
  std::vector<std::vector<std::weak_ptr<detail::StateBase>>> calls;  // of each worker, under way or lately so
  std::vector<bool> dead;
  detail::MachineLoad load;
  std::size_t next = 0;  // where to look first, so that equals take turns

  std::size_t number_machines() {
    std::vector<std::uint64_t> agents;
    for (const auto& worker : workers) {
      auto at = std::find(agents.begin(), agents.end(), worker.address().agent);
      machines.push_back(static_cast<std::size_t>(at - agents.begin()));
      if (at == agents.end()) agents.push_back(worker.address().agent);
    }
    return agents.size();
  }
  // With the mutex held.
  std::size_t count(std::size_t worker) {
    std::erase_if(calls[worker], [](const auto& weak) {
      auto call = weak.lock();
      return !call || call->ready();
    });
    return calls[worker].size();
  }
  bool lives(std::size_t worker) {
    if (!dead[worker]) dead[worker] = detail::Endpoint::require().around().links.obituary_of(workers[worker].address()).has_value();
    return !dead[worker];
  }
  // Those with the fewest calls, the first in turn first.
  std::vector<std::size_t> equals() {
    std::vector<std::size_t> best;
    std::size_t fewest = SIZE_MAX;
    for (std::size_t i = 0; i < workers.size(); ++i) {
      std::size_t worker = (next + i) % workers.size();
      if (!lives(worker) || count(worker) > fewest) continue;
      if (count(worker) < fewest) best.clear();
      fewest = count(worker);
      best.push_back(worker);
    }
    return best;
  }
  // Of equals that are idle, on several machines: one of each machine that should be asked now.
  std::vector<std::size_t> to_ask(const std::vector<std::size_t>& equal) {
    std::vector<std::size_t> asked;
    bool alike = std::all_of(equal.begin(), equal.end(), [&](std::size_t each) { return machines[each] == machines[equal[0]]; });
    if (alike || count(equal[0]) != 0) return asked;
    std::copy_if(equal.begin(), equal.end(), std::back_inserter(asked), [&](std::size_t each) { return load.due(machines[each]); });
    return asked;
  }
  void ask(std::size_t worker) {
    auto answer = load.ask(workers[worker]);  // without the lock: it sends
    std::lock_guard lock(mutex);
    load.asked(machines[worker], std::move(answer));
  }
};

Service::Service(std::vector<remote_ptr<Worker>> workers, LoadSource load) {
  if (workers.empty()) throw usage_error("a service without workers", "Make it of one octavo::Worker or more");
  parts_ = std::make_shared<Parts>(std::move(workers), std::move(load));
}

Service Service::on(const std::vector<Place>& places, std::size_t workers_per_place, LoadSource load) {
  std::vector<future<remote_ptr<Worker>>> making;
  std::vector<remote_ptr<Worker>> workers;
  std::exception_ptr failed;
  auto keep_first = [&](const auto& work) {
    try {
      work();
    } catch (...) {
      if (!failed) failed = std::current_exception();
    }
  };
  for (std::size_t i = 0; i < workers_per_place; ++i)
    for (const auto& place : places) keep_first([&] { making.push_back(start(place).make<Worker>()); });
  for (auto& each : making) keep_first([&] { workers.push_back(each.get()); });
  if (!failed) return Service(std::move(workers), std::move(load));
  for (const auto& each : workers) scoped<Worker> unwanted(each);
  std::rethrow_exception(failed);
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

std::vector<double> Service::loads() const {
  std::vector<double> all;
  std::lock_guard lock(parts_->mutex);
  parts_->load.hear();
  for (auto machine : parts_->machines) all.push_back(parts_->load.of(machine));
  return all;
}

std::size_t Service::take_turn(const std::shared_ptr<detail::StateBase>& call) const {
  // Takes in the replies that have come, without waiting for any: which worker is done is known only then.
  detail::wait_until([first = true]() mutable { return !std::exchange(first, false); }, std::chrono::steady_clock::now());
  std::unique_lock lock(parts_->mutex);
  auto equal = parts_->equals();
  if (equal.empty())
    throw gone_error("none of the " + std::to_string(workers().size()) + " workers of this service lives any more", "Make a new service of new workers");
  parts_->load.hear();
  auto less = [&](std::size_t a, std::size_t b) { return parts_->load.of(parts_->machines[a]) < parts_->load.of(parts_->machines[b]); };
  auto best = *std::min_element(equal.begin(), equal.end(), less);  // the first of equals
  auto asked = parts_->to_ask(equal);
  parts_->next = (best + 1) % workers().size();
  parts_->calls[best].push_back(call);
  lock.unlock();
  for (auto worker : asked) parts_->ask(worker);
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
