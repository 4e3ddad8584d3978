// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/service.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "process/endpoint.hpp"

namespace octavo {

namespace {

// Run by a worker on the machine that is asked.
double load_of_this_machine() {
  double last_minute = 0;
  if (::getloadavg(&last_minute, 1) != 1) throw not_supported("this machine does not say its load");
  return last_minute / static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

// What is known of the load of a machine of a service. With the service's lock held.
struct MachineLoad {
  double load = 1;  // for each core: one that has not answered may be busy
  bool asking = false;
  std::chrono::steady_clock::time_point next{};
  future<double> answer;

  // Takes the answer, if it has come.
  void hear() {
    if (!answer.valid() || !answer.ready()) return;
    asking = false;
    try {
      load = answer.get();
    } catch (const std::exception&) {  // it says nothing; what was known before counts on
    }
  }
  // No question is under way, and the last is old enough. The caller that is told so asks.
  bool due(std::chrono::milliseconds every) {
    const auto now = std::chrono::steady_clock::now();
    if (asking || now < next) return false;
    next = now + every;
    return asking = true;
  }
};

}  // namespace

struct Service::Parts {
  Parts(std::vector<remote_ptr<Worker>> of, LoadSource given)
      : workers(std::move(of)), calls(workers.size()), dead(workers.size()), loads(number_machines()), source(std::move(given)) {
    if (!source.ask) source.ask = [](const remote_ptr<Worker>& idle) { return start(idle, load_of_this_machine); };
  }

  std::vector<remote_ptr<Worker>> workers;
  std::vector<std::size_t> machines;  // of each worker
  std::mutex mutex;
  std::vector<std::vector<std::weak_ptr<detail::StateBase>>> calls;  // of each worker, under way or lately so
  std::vector<bool> dead;
  std::vector<MachineLoad> loads;  // by machine
  LoadSource source;
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
  double load_of(std::size_t worker) const { return loads[machines[worker]].load; }
  void hear_loads() {
    for (auto& each : loads) each.hear();
  }
  // Of equals that are idle, on several machines: one of each machine that should be asked now.
  std::vector<std::size_t> to_ask(const std::vector<std::size_t>& equal) {
    std::vector<std::size_t> asked;
    bool alike = std::all_of(equal.begin(), equal.end(), [&](std::size_t each) { return machines[each] == machines[equal[0]]; });
    if (alike || count(equal[0]) != 0) return asked;
    std::copy_if(equal.begin(), equal.end(), std::back_inserter(asked), [&](std::size_t each) { return loads[machines[each]].due(source.every); });
    return asked;
  }
  void ask(std::size_t worker) {
    future<double> answer;
    try {
      answer = source.ask(workers[worker]);  // without the lock: it sends
    } catch (...) {                          // as if it had answered nothing
    }
    std::lock_guard lock(mutex);
    auto& machine = loads[machines[worker]];
    machine.asking = answer.valid();
    machine.answer = std::move(answer);
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
  parts_->hear_loads();
  for (std::size_t i = 0; i < parts_->workers.size(); ++i) all.push_back(parts_->load_of(i));
  return all;
}

std::size_t Service::take_turn(const std::shared_ptr<detail::StateBase>& call) const {
  // Takes in the replies that have come, without waiting for any: which worker is done is known only then.
  detail::wait_until([first = true]() mutable { return !std::exchange(first, false); }, std::chrono::steady_clock::now());
  std::unique_lock lock(parts_->mutex);
  auto equal = parts_->equals();
  if (equal.empty())
    throw gone_error("none of the " + std::to_string(workers().size()) + " workers of this service lives any more", "Make a new service of new workers");
  parts_->hear_loads();
  auto less = [&](std::size_t a, std::size_t b) { return parts_->load_of(a) < parts_->load_of(b); };
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
