// SPDX-License-Identifier: Apache-2.0
// A pool of workers that takes calls of functions: each call goes to the one with the fewest calls under way, and among equals to the
// machine with the least load.
//
//   auto service = octavo::Service::on({machine1, machine2}, 4);             // 4 workers on each place, made in parallel
//   std::vector<octavo::future<double>> areas;
//   for (double r : radii) areas.push_back(octavo::start(service, area, r));
//   for (auto& a : areas) total += a.get();
//   octavo::destroy(service);                                                // ends the workers
//   octavo::Service mine(std::move(workers));                                // of a std::vector<octavo::remote_ptr<octavo::Worker>>
//
// Contract: calls under way are those started through this object. The load is that of the last minute for each core, of whatever runs on the
// machine. A machine is asked by an idle worker of it, only where a choice between machines needs it, once a second at most, and no
// call waits for the answer: the last one counts, and before the first a machine counts as busy. Of equals each gets its turn. There is no order
// between calls. A call whose worker dies fails with process_died; later calls go to the others. It does not own: copies share the
// count. Threading: any thread.
// Errors: as of call and start on a worker; gone_error when no worker is left, which of a started call its future says; usage_error for none at all.
#pragma once

#include "octavo/process/function.hpp"

namespace octavo {

namespace detail {
struct ServiceStarting;
struct ServiceWaiting;
}  // namespace detail

// How a service learns what its machines are doing besides.
struct LoadSource {
  // The load of the machine of this idle worker, for each core; must not wait. Empty: what the system says there.
  std::function<future<double>(const remote_ptr<Worker>&)> ask = {};
  std::chrono::milliseconds every{1000};  // at most
};

class Service {
 public:
  explicit Service(std::vector<remote_ptr<Worker>> workers, LoadSource load = {});
  // So many workers on each place. If one cannot be made, the others are ended.
  static Service on(const std::vector<Place>& places, std::size_t workers_per_place, LoadSource load = {});
  [[nodiscard]] const std::vector<remote_ptr<Worker>>& workers() const noexcept;
  [[nodiscard]] std::vector<remote_ptr<Worker>> living() const;
  // Calls that are under way, of each worker.
  [[nodiscard]] std::vector<std::size_t> under_way() const;
  // Of the machine of each worker, as it is known now.
  [[nodiscard]] std::vector<double> loads() const;

 private:
  friend struct detail::ServiceStarting;
  friend struct detail::ServiceWaiting;
  friend void destroy(const Service& service);
  template <class Work>
  auto with_worker(const std::shared_ptr<detail::StateBase>& call, Work work) const {
    auto worker = take_turn(call);
    try {
      return work(workers()[worker].address());
    } catch (const error& e) {
      if (e.kind() == error_kind::gone && origin(e) == nullptr) avoid(worker);  // with an origin it is whom the function called
      throw;
    }
  }
  // The worker for this call, which counts from now on until its state is ready.
  [[nodiscard]] std::size_t take_turn(const std::shared_ptr<detail::StateBase>& call) const;
  void avoid(std::size_t worker) const;
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

namespace detail {

// The two ways of calling, with the worker chosen when the call is made.
struct ServiceStarting {
  const Service& service;
  template <auto F, class... A>
  auto invoke(const Address&, A&&... arguments) const {
    using S = signature<F>;
    static_assert(!S::copies_back,
                  "a function that takes a T& cannot be started: the caller would not know when the argument changes. Call it, or return the value");
    auto state = std::make_shared<State<typename S::value>>();
    try {
      service.with_worker(state, [&](const Address& to) { S::template parameters<Client<F>::template With>::send(state, to, std::forward<A>(arguments)...); });
    } catch (const error& e) {  // no worker lives
      if (e.kind() != error_kind::gone) throw;
      state->fail(std::current_exception());
    }
    return future<typename S::value>(std::move(state));
  }
};
struct ServiceWaiting {
  const Service& service;
  template <auto F, class... A>
  auto invoke(const Address&, A&&... arguments) const {
    auto turn = std::make_shared<State<void>>();  // gone, and so done, with the call
    return service.with_worker(turn, [&](const Address& to) { return Waiting::invoke<F>(to, std::forward<A>(arguments)...); });
  }
};

}  // namespace detail

template <class F, class... A>
auto start(const Service& service, F&& f, A&&... arguments) {
  return detail::call_function(detail::ServiceStarting{service}, Address(), std::forward<F>(f), std::forward<A>(arguments)...);
}
template <class F, class... A>
auto call(const Service& service, F&& f, A&&... arguments) {
  return detail::call_function(detail::ServiceWaiting{service}, Address(), std::forward<F>(f), std::forward<A>(arguments)...);
}
// Ends the workers that live.
void destroy(const Service& service);

}  // namespace octavo
