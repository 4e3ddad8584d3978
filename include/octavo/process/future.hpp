// SPDX-License-Identifier: Apache-2.0
// A value that will be there: the result of a `start`ed call, or of work inside a process.
//
//   octavo::future<double> f = octavo::start(p)->area();   double x = f.get();        // waits; throws what was thrown
//   if (!f.wait_for(2s)) give_up();                                                   // still valid: wait again, or drop it
//   auto text = octavo::start(p)->area().then([](double x) { return std::to_string(x); });        // a future<std::string>
//   octavo::future<int> Device::read() { octavo::promise<int> p; auto f = p.get_future(); queue(std::move(p)); return f; }
//   octavo::future<int> Stage::work() { int n = co_await other_call; co_return n + 1; }       // C-12; in the program too
//
// A method may return one, or be a coroutine of this type: the next call begins at once, the reply goes when the value is
// ready (C-12). What follows a co_await, and the work of then, runs where the object's methods run, between two of them and never beside one (that of a
// thread of its own also there, while it waits); in the program on a thread that waits, else on the progress thread. It may call and wait, but the next such
// work waits for it. A future that is dropped detaches; its error is raised by destroy(), or logged at exit (if an exception drops it: neither).
// get, co_await, then, when_all, when_any and when_n take the future: once. Several at once: octavo/process/when.hpp.
// Threading: one thread a future; set and get may be on different threads.
// Errors: what the work threw; process_died; gone_error for a promise that was dropped, or a Runtime that ended before the work could run;
// usage_error for an empty future, a promise kept twice, and for waiting without a Runtime.
#pragma once

#include "octavo/process/detail/then.hpp"

namespace octavo {

template <class T>
class [[nodiscard]] future {
 public:
  using value_type = T;
  future() = default;
  explicit future(std::shared_ptr<detail::LocalState<T>> state) : state_(std::move(state)) {}
  future(future&&) noexcept = default;
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      drop();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~future() { drop(); }

  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool ready() const { return state("ready()").ready(); }
  void wait() const { detail::wait_for(state("wait()"), detail::forever()); }
  // False when it is not ready in time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return detail::wait_for(state("wait_for()"), detail::deadline_after(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(std::chrono::time_point<Clock, Duration> deadline) const {
    return detail::wait_for(state("wait_until()"), detail::deadline_after(deadline - Clock::now()));
  }
  // Waits, then gives the value away: once.
  T get() {
    detail::wait_for(state("get()"), detail::forever());
    auto state = std::move(state_);
    return state->take();
  }
  // work(value), or work() for void: its result, or the value of the future it returns, is that of the new future. An error skips it and
  // goes on to the new future; work that takes the future itself is called with errors too. Runs at once if the value is there.
  template <class Work>
  auto then(Work work) {
    (void)state("then()");
    return detail::Continued<T, Work>::run(std::move(*this), std::move(work));
  }
  // Takes a call back that has not begun. True: it will never run, and get() throws octavo::cancelled. False: it has begun, is done, or
  // was no remote call; its result comes as before. Waits until its process looks, which is between two methods, or when one waits.
  [[nodiscard]] bool cancel() { return detail::cancel(state("cancel()")); }

  // Runs `work` when it is ready: now, or on the thread that makes it so, which reads for others: it must not wait, and what it throws
  // is only logged. The layer below co_await.
  template <class Work>
  void on_ready(Work work) const {
    (void)state("on_ready()");
    auto state = state_;  // the work may drop this future
    state->on_ready(std::move(work));
  }

  // co_await
  [[nodiscard]] bool await_ready() const { return state("co_await").ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) const {
    auto state = state_;  // the coroutine may go on, and end, before this returns
    if constexpr (requires { handle.promise().awaits(state); }) handle.promise().awaits(state);
    return detail::suspend_until_ready(*state, handle);
  }
  T await_resume() { return get(); }

  struct promise_type;

 private:
  friend struct detail::Inside;
  [[nodiscard]] detail::StateBase& state(const char* doing) const {
    if (!state_) detail::raise_empty(doing);
    return *state_;
  }
  void drop() noexcept {
    if (state_) state_->abandon();
  }
  std::shared_ptr<detail::LocalState<T>> state_;
};

template <class T>
class promise {
 public:
  promise() : state_(std::make_shared<detail::LocalState<T>>()) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    if (this != &other) {
      drop();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  ~promise() { drop(); }
  [[nodiscard]] future<T> get_future() const {
    if (!state_) detail::raise_kept();
    return future<T>(state_);
  }
  template <class... V>
  void set_value(V&&... value) {
    auto state = take();
    try {
      state->set(std::forward<V>(value)...);
    } catch (...) {  // of a conversion to T
      state->fail(std::current_exception());
    }
  }
  void set_exception(std::exception_ptr error) { take()->fail(std::move(error)); }

 private:
  friend struct detail::Inside;
  [[nodiscard]] std::shared_ptr<detail::LocalState<T>> take() {
    if (!state_) detail::raise_kept();
    return std::move(state_);
  }
  void drop() noexcept {
    if (auto state = std::move(state_)) state->fail(detail::broken_promise());
  }
  std::shared_ptr<detail::LocalState<T>> state_;
};

namespace detail {
template <class T>
struct CoroutineBase {
  promise<T> result;
  future<T> get_return_object() { return result.get_future(); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void unhandled_exception() { result.set_exception(std::current_exception()); }
  void awaits(const std::shared_ptr<StateBase>& what) { Inside::of(result).need({false, {what}}); }
};
}  // namespace detail

template <class T>
struct future<T>::promise_type : detail::CoroutineBase<T> {
  void return_value(T value) { this->result.set_value(std::move(value)); }
};
template <>
struct future<void>::promise_type : detail::CoroutineBase<void> {
  void return_void() { result.set_value(); }
};

}  // namespace octavo
