// SPDX-License-Identifier: Apache-2.0
// A value that will be there: the result of a `start`ed call, or of work inside a process.
//
//   octavo::future<double> f = octavo::start(p)->area();   double x = f.get();        // waits; throws what was thrown
//   octavo::future<int> Device::read() { octavo::promise<int> p; auto f = p.get_future(); queue(std::move(p)); return f; }
//   octavo::future<int> Stage::work() { int n = co_await other_call; co_return n + 1; }       // C-12
//
// A method may return one, or be a coroutine of this type: the next call begins at once, the reply goes when the value is
// ready (C-12). co_await resumes on the thread that runs the object's methods, never beside another method of it; in the program,
// on a thread that waits. A future that is dropped detaches; its error is raised by destroy(), or logged at exit.
// Threading: one thread a future; set and get may be on different threads.
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "octavo/process/detail/state.hpp"

namespace octavo {

template <class T>
class promise;

template <class T>
class [[nodiscard]] future {
 public:
  future() = default;
  explicit future(std::shared_ptr<detail::State<T>> state) : state_(std::move(state)) {}
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
  [[nodiscard]] bool ready() const noexcept { return state_->ready(); }
  void wait() const { detail::wait_for(*state_, detail::forever()); }
  // False when it is not ready in time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(std::chrono::duration<Rep, Period> time) const {
    return detail::wait_for(*state_, std::chrono::steady_clock::now() + time);
  }
  // Waits, then gives the value away: once.
  T get() {
    wait();
    auto state = std::move(state_);
    return state->take();
  }

  // Takes a call back that has not begun. True: it will never run, and get() throws octavo::cancelled. False: it has begun or is done.
  // Waits until its process looks, which is between two methods, or when one waits.
  [[nodiscard]] bool cancel() { return detail::cancel(*state_); }

  // Runs `work` when it is ready: now, or on the thread that makes it so. The layer below co_await.
  void on_ready(std::function<void()> work) const { state_->on_ready(std::move(work)); }

  // co_await
  [[nodiscard]] bool await_ready() const noexcept { return ready(); }
  void await_suspend(std::coroutine_handle<> handle) const {
    state_->on_ready([resume = detail::resumer(handle)] { resume(); });
  }
  T await_resume() { return get(); }

  struct promise_type;

 private:
  void drop() noexcept {
    if (state_) state_->abandon();
  }
  std::shared_ptr<detail::State<T>> state_;
};

template <class T>
class promise {
 public:
  promise() : state_(std::make_shared<detail::State<T>>()) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&&) noexcept = default;
  ~promise() {
    if (state_ && !state_->ready()) state_->fail(detail::broken_promise());
  }
  [[nodiscard]] future<T> get_future() const { return future<T>(state_); }
  template <class... V>
  void set_value(V&&... value) {
    std::exchange(state_, nullptr)->set(std::forward<V>(value)...);
  }
  void set_exception(std::exception_ptr error) { std::exchange(state_, nullptr)->fail(std::move(error)); }

 private:
  std::shared_ptr<detail::State<T>> state_;
};

namespace detail {
template <class T>
struct CoroutineBase {
  promise<T> result;
  future<T> get_return_object() { return result.get_future(); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void unhandled_exception() { result.set_exception(std::current_exception()); }
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
