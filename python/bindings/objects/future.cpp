// SPDX-License-Identifier: Apache-2.0
#include "objects/future.hpp"

#include <nanobind/stl/optional.h>

#include <variant>

#include "lock.hpp"
#include "objects/deferred_interrupt.hpp"
#include "objects/exchange.hpp"
#include "objects/pointer.hpp"
#include "objects/tools.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

std::chrono::steady_clock::time_point deadline_in(std::optional<double> seconds) {
  return seconds ? detail::deadline_after(std::chrono::duration<double>(std::max(0.0, *seconds))) : detail::forever();
}

// What one thread waits for and another does: as an Event of threading, but meanwhile the object of the thread that waits is called back (C-3).
class Signal {
 public:
  ~Signal() {
    const Unlocked unlocked;
    future_ = {};
    state_.reset();
  }
  Signal() = default;
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void set() {
    const Unlocked unlocked;
    if (!is_set_.exchange(true)) promise_.set_value();
  }
  [[nodiscard]] bool is_set() const { return is_set_.load(); }
  [[nodiscard]] bool wait(std::optional<double> seconds) const { return wait_with_signals(*state_, deadline_in(seconds)); }

 private:
  std::atomic<bool> is_set_{false};
  promise<void> promise_;
  future<void> future_ = promise_.get_future();
  std::shared_ptr<detail::StateBase> state_ = detail::Inside::shared(future_);
};

struct BeingMade {
  future<remote_ptr<PythonObject>> made;
  nb::object title, names;
};

struct OfAll {
  future<std::vector<Value>> replies;
  std::vector<Address> from;
};

nb::object results_of(OfAll& all) {
  try {
    std::vector<Value> values;
    {
      const Unlocked unlocked;
      const detail::Visit visit;
      values = all.replies.get();
    }
    nb::list results;
    for (std::size_t i = 0; i < values.size(); ++i) results.append(object_in(values[i], all.from[i]));
    return results;
  } catch (const PythonRaised& raised) {
    raise_in_python(raised);
  }
}

// What of a state only those that are derived from it see.
struct Failure : detail::StateBase {
  static const std::exception_ptr& of(const detail::StateBase& state) { return state.*&Failure::error_; }
};

class FutureBase {
 public:
  FutureBase(future<Value> reply, const Address& from) : what_(std::move(reply)), from_(from), state_(detail::Inside::shared(std::get<future<Value>>(what_))) {}
  explicit FutureBase(BeingMade made) : what_(std::move(made)), state_(detail::Inside::shared(std::get<BeingMade>(what_).made)) {}
  explicit FutureBase(OfAll all) : what_(std::move(all)), state_(detail::Inside::shared(std::get<OfAll>(what_).replies)) {}
  ~FutureBase() {  // a future that is dropped may lock, and what it received is freed
    const Unlocked unlocked;
    const detail::Visit visit;
    if (auto* reply = std::get_if<future<Value>>(&what_)) *reply = {};
    if (auto* made = std::get_if<BeingMade>(&what_)) made->made = {};
    if (auto* all = std::get_if<OfAll>(&what_)) all->replies = {};
    state_.reset();
  }
  FutureBase(const FutureBase&) = delete;
  FutureBase& operator=(const FutureBase&) = delete;

  [[nodiscard]] bool ready() const { return state_->ready(); }
  // Its call was sent. False: its object was found to be gone before that.
  [[nodiscard]] bool begun() const { return state_->call != 0; }
  // It is ready, and its object was gone: no answer came. (An error that the object answered is a reply.)
  [[nodiscard]] bool died() const {
    if (!state_->ready() || !Failure::of(*state_)) return false;
    try {
      std::rethrow_exception(Failure::of(*state_));
    } catch (const PythonRaised&) {
      return false;
    } catch (const error& e) {
      return e.kind() == error_kind::gone;
    } catch (...) {
      return false;
    }
  }
  [[nodiscard]] bool wait(std::optional<double> seconds) const {
    if (!state_->ready()) warn_of_event_loop();
    return wait_with_signals(*state_, deadline_in(seconds));
  }
  // By the thread of a method that runs an event loop of its own.
  void await_in_loop() {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::is_awaited_by_loop(state_);
  }
  [[nodiscard]] bool cancel(double seconds) {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::is_left_by_loop(*state_);
    return detail::cancel_until(*state_, deadline_in(seconds));
  }
  // Does not wait for the answer, which may take as long as what its object does now.
  void ask_to_cancel() {
    const Unlocked unlocked;
    const detail::Visit visit;
    detail::is_left_by_loop(*state_);
    detail::ask_to_cancel(*state_);
  }
  // Once, when it is ready.
  nb::object take() {
    if (auto* reply = std::get_if<future<Value>>(&what_)) return result_of(*reply, from_);
    if (auto* all = std::get_if<OfAll>(&what_)) return results_of(*all);
    auto& being = std::get<BeingMade>(what_);
    remote_ptr<PythonObject> made;
    try {
      const Unlocked unlocked;
      const detail::Visit visit;
      made = being.made.get();
    } catch (const PythonRaised& raised) {
      raise_in_python(raised);
    }
    return make_pointer(made.address(), nb::cast<std::string>(being.title), being.names);
  }
  // `work()` is called once, now or by the thread that reads: it must not wait.
  void on_ready(nb::object work) const {
    // Owned by whoever runs or drops it, with the lock.
    auto kept = std::shared_ptr<nb::object>(new nb::object(std::move(work)), [](nb::object* done) { with_lock([&] { delete done; }); });
    const Unlocked unlocked;
    const detail::Visit visit;
    state_->on_ready([kept = std::move(kept)] {
      with_lock([&] {
        const DeferredInterrupt later;
        try {
          (*kept)();
        } catch (nb::python_error& error) {
          error.discard_as_unraisable("a callback of octavo.Future");
        }
      });
    });
  }

 private:
  std::variant<future<Value>, BeingMade, OfAll> what_;
  Address from_;                              // of a reply
  std::shared_ptr<detail::StateBase> state_;  // of the future: threads that wait see it also when another has taken the value
};

}  // namespace

nb::object make_future(future<Value> reply, const Address& from) {
  return tools().future_type(nb::cast(new FutureBase(std::move(reply), from), nb::rv_policy::take_ownership));
}

nb::object make_future(future<std::vector<Value>> replies, std::vector<Address> from) {
  return tools().future_type(nb::cast(new FutureBase(OfAll{std::move(replies), std::move(from)}), nb::rv_policy::take_ownership));
}

nb::object make_future(future<remote_ptr<PythonObject>> made, nb::handle title, nb::handle names) {
  return tools().future_type(nb::cast(new FutureBase(BeingMade{std::move(made), nb::borrow(title), nb::borrow(names)}), nb::rv_policy::take_ownership));
}

void add_future(nb::module_& m) {
  nb::class_<FutureBase>(m, "FutureBase")
      .def("ready", &FutureBase::ready)
      .def("begun", &FutureBase::begun)
      .def("died", &FutureBase::died)
      .def("wait", &FutureBase::wait, "seconds"_a.none())
      .def("await_in_loop", &FutureBase::await_in_loop)
      .def("cancel", &FutureBase::cancel, "seconds"_a)
      .def("ask_to_cancel", &FutureBase::ask_to_cancel)
      .def("take", &FutureBase::take)
      .def("on_ready", &FutureBase::on_ready, "work"_a);
  nb::class_<Signal>(m, "Signal").def(nb::init<>()).def("set", &Signal::set).def("is_set", &Signal::is_set).def("wait", &Signal::wait, "seconds"_a.none());
}

}  // namespace octavo::bindings
