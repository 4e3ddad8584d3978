// SPDX-License-Identifier: Apache-2.0
// A worker for one call: made where the call is to run, and ended when it has run. Implemented in src/process/remote/one_shot_worker.cpp.
//
// Its end is sent behind the call at once, so that nothing has to be done when the reply comes, and nobody has to be there for it: the worker ends
// when the caller has dropped the future, died, or taken the call back. For the same reason the function runs to its end there, though it
// be a coroutine (run_to_the_end): nothing else waits for that worker.
#pragma once

#include "octavo/process/place.hpp"

namespace octavo {

// What functions run on: an object without any state.
class Worker {};

namespace detail {

template <>
inline constexpr std::string_view class_title<Worker> = "worker";

class OneShotWorker : NoCopy {
 public:
  explicit OneShotWorker(const Placement& where) : made_(std::make_shared<State<void>>()), address_(send_construction<Worker>(made_, where)) {}
  ~OneShotWorker() {
    if (address_) end_behind(address_);
  }
  // Why there is none; null: it is there.
  [[nodiscard]] std::exception_ptr failure() const {
    if (address_) return nullptr;
    try {
      finish_call(*made_);
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }
  // Throws why there is none.
  [[nodiscard]] const Address& address() const {
    if (const auto why = failure()) std::rethrow_exception(why);
    return address_;
  }

 private:
  // Sends the end of the worker behind what was sent before. If the worker is gone, that is what we want.
  static void end_behind(const Address& worker) noexcept;
  std::shared_ptr<State<void>> made_;
  Address address_;
};
// Where nobody waits: from now on the ends of workers are read all the same.
void read_without_waiting();

// The two ways of calling, with a worker made for the call.
struct OneShotStarting {
  static constexpr bool to_the_end = true;
  const Placement& where;
  template <class Call, class... A>
  void begin(const std::shared_ptr<StateBase>& state, A&&... arguments) const {
    OneShotWorker worker(where);
    if (const auto why = worker.failure()) state->fail(why);
    else Call::send(state, worker.address(), std::forward<A>(arguments)...);
  }
  template <auto F, class... A>
  auto invoke(const Address&, A&&... arguments) const {
    using S = signature<F>;
    static_assert(!S::copies_back,
                  "a function that takes a T& cannot be started: the caller would not know when the argument changes. Call it, or return the value");
    if constexpr (!S::copies_back && Client<F>::template good<A...>()) {
      auto state = std::make_shared<State<typename S::value>>();
      read_without_waiting();
      begin<typename S::template parameters<Client<F>::template With>>(state, std::forward<A>(arguments)...);
      return future<typename S::value>(std::move(state));
    } else {
      return Starting::nothing<typename S::value>();
    }
  }
};
struct OneShotWaiting {
  static constexpr bool to_the_end = true;
  const Placement& where;
  template <auto F, class... A>
  auto invoke(const Address&, A&&... arguments) const {
    using S = signature<F>;
    if constexpr (Client<F>::template good<A...>()) {
      using Call = typename S::template parameters<Client<F>::template With>;
      auto state = std::make_shared<State<void>>();
      {
        OneShotWorker worker(where);
        Call::send(state, worker.address(), std::forward<A>(arguments)...);
      }
      return Call::value_of(*state, arguments...);
    } else {
      return Waiting::nothing<typename S::value>();
    }
  }
};

}  // namespace detail
}  // namespace octavo
