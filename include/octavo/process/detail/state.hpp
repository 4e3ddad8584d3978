// SPDX-License-Identifier: Apache-2.0
// What a future and its promise share. The value is set here, or is a reply that is decoded by whoever takes it.
//
// Any number of continuations are told when it is ready, in the order in which they came, by the thread that makes it so. One that is
// never told is destroyed with the state, and with it the coroutine it was to resume: so a broken promise goes on to those behind it.
// Threading: the threads that make it ready, wait, attach and abandon may be four; it is made ready once.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "octavo/base/no_copy.hpp"
#include "octavo/base/spin_lock.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/wire/archive.hpp"
#include "octavo/wire/plain.hpp"

namespace octavo::detail {

class Continuation : NoCopy {
 public:
  virtual ~Continuation() = default;
  virtual void tell(std::unique_ptr<Continuation> self) = 0;  // may keep itself for later; must not wait
  const void* owner = nullptr;                                // by which StateBase::detach finds it

 private:
  friend class StateBase;
  std::unique_ptr<Continuation> next_;
};

template <class Work>
class Callback final : public Continuation {
 public:
  explicit Callback(Work work) : work_(std::move(work)) {}
  void tell(std::unique_ptr<Continuation>) override { work_(); }

 private:
  Work work_;
};

class StateBase;
// What must be ready before a state is: all of these, or any. Empty: that is not known. (C-3: a wait for the one is a wait for the others.)
struct Needs {
  bool any = false;
  std::vector<std::weak_ptr<StateBase>> of;
};

class StateBase : NoCopy {
 public:
  virtual ~StateBase() = default;
  [[nodiscard]] bool ready() const noexcept { return ready_.load(std::memory_order_acquire); }
  void fail(std::exception_ptr error) noexcept;
  void complete(wire::Message reply);  // a reply frame or an error frame
  // Of a `plain` one. Wakes no thread that waits: the caller does, for several states at once.
  void complete_plain(ByteView result) noexcept;

  // False, and nothing is taken, when it is ready already. Only in the program: begins the progress thread.
  bool attach(std::unique_ptr<Continuation>& what);
  void detach(const void* owner) noexcept;
  template <class Work>
  void on_ready(Work work, const void* owner = nullptr) {
    std::unique_ptr<Continuation> what = std::make_unique<Callback<Work>>(std::move(work));
    what->owner = owner;
    if (!attach(what)) tell(std::move(what));
  }
  void abandon() noexcept;
  void need(Needs what);
  [[nodiscard]] Needs needs() const;
  // The reply once it is ready. Throws what the call threw.
  wire::Message take_reply();

  Address callee;            // of a remote call: for the error of a dropped future
  std::uint64_t call = 0;    // its number, for cancel(); 0: no remote call
  wire::AllCarried carried;  // with the frame of a remote call
  bool plain = false;        // its result is a few numbers, or nothing: set_plain() takes them

 protected:
  virtual void set_plain(ByteView /*result*/) {}
  void make_ready() noexcept;
  void finish() noexcept;
  void rethrow();
  std::exception_ptr error_;
  std::unique_ptr<wire::Message> reply_;

 private:
  static void tell(std::unique_ptr<Continuation> what) noexcept;
  void report_if_lost() noexcept;
  mutable SpinLock mutex_;
  Needs needs_;
  std::atomic<bool> ready_{false};
  bool abandoned_ = false;
  std::unique_ptr<Continuation> told_;
};

// Of a promise or a coroutine: T need not travel.
template <class T>
class LocalState : public StateBase {
 public:
  void set(T value) noexcept {
    try {
      value_.emplace(std::move(value));
    } catch (...) {
      return fail(std::current_exception());
    }
    finish();
  }
  virtual T take() {
    rethrow();
    return std::move(*value_);
  }

 protected:
  void put(T value) { value_.emplace(std::move(value)); }

 private:
  std::optional<T> value_;
};
template <>
class LocalState<void> : public StateBase {
 public:
  void set() noexcept { finish(); }
  void take() { rethrow(); }
};

template <class T>
T plain_value(ByteView from) {
  if (from.size() < sizeof(T)) wire::raise_bad_plain(sizeof(T), from.size());
  T value{};
  wire::take_plain_at(from.data(), value);
  return value;
}

// Of a remote call.
template <class T>
class State final : public LocalState<T> {
 public:
  T take() override {
    this->rethrow();
    if (!this->reply_) return LocalState<T>::take();
    wire::Decoder in(*this->reply_);
    T value{};
    in(value);
    return value;
  }

 private:
  void set_plain([[maybe_unused]] ByteView result) override {
    if constexpr (wire::plain<T>) this->put(plain_value<T>(result));
  }
};
template <>
class State<void> final : public LocalState<void> {};

inline std::chrono::steady_clock::time_point forever() { return std::chrono::steady_clock::time_point::max(); }
template <class Rep, class Period>
std::chrono::steady_clock::time_point deadline_after(std::chrono::duration<Rep, Period> time) {
  auto now = std::chrono::steady_clock::now();
  std::chrono::duration<double> left = forever() - now, wanted = time;  // in doubles: hours::max() overflows all else
  return wanted < left / 2 ? now + std::chrono::ceil<std::chrono::steady_clock::duration>(time) : forever();
}
bool wait_for(StateBase& state, std::chrono::steady_clock::time_point deadline);
std::exception_ptr broken_promise();
[[noreturn]] void raise_empty(const char* doing);
[[noreturn]] void raise_kept();
// Resumes `handle` when `state` is ready, on the executor of the object whose method is running now. False: it is ready, go on at once.
bool suspend_until_ready(StateBase& state, std::coroutine_handle<> handle);
// Asks for the call back: true if it will never run, and the state is ready with `cancelled`. Beside the endpoint.
bool cancel(StateBase& state);
// The same, and does not wait for the answer.
void ask_to_cancel(StateBase& state);

}  // namespace octavo::detail
