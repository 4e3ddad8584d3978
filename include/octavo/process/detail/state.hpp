// SPDX-License-Identifier: Apache-2.0
// What a future and its promise share. The value is set here, or is a reply that is decoded by whoever takes it.
#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>

#include "octavo/machine/address.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::detail {

class StateBase {
 public:
  virtual ~StateBase() = default;
  [[nodiscard]] bool ready() const noexcept { return ready_.load(std::memory_order_acquire); }
  void fail(std::exception_ptr error);
  void complete(wire::Message reply);  // a reply frame or an error frame
  void on_ready(std::function<void()> work);
  void abandon() noexcept;
  // The reply once it is ready. Throws what the call threw.
  wire::Message take_reply();

  Address callee;          // of a remote call: for the error of a dropped future
  std::uint64_t call = 0;  // its number, for cancel(); 0: no remote call

 protected:
  void finish();
  void rethrow();
  std::exception_ptr error_;
  std::optional<wire::Message> reply_;

 private:
  void report_if_lost() noexcept;
  std::mutex mutex_;
  std::atomic<bool> ready_{false};
  bool abandoned_ = false;
  std::function<void()> work_;
};

template <class T>
class State final : public StateBase {
 public:
  void set(T value) {
    value_.emplace(std::move(value));
    finish();
  }
  T take() {
    rethrow();
    if (value_) return std::move(*value_);
    wire::Decoder in(*reply_);
    T value{};
    in(value);
    return value;
  }

 private:
  std::optional<T> value_;
};

template <>
class State<void> final : public StateBase {
 public:
  void set() { finish(); }
  void take() { rethrow(); }
};

inline std::chrono::steady_clock::time_point forever() { return std::chrono::steady_clock::time_point::max(); }
bool wait_for(const StateBase& state, std::chrono::steady_clock::time_point deadline);
std::exception_ptr broken_promise();
// Asks for the call back: true if it will never run, and the state is ready with `cancelled`. Beside the endpoint.
bool cancel(StateBase& state);
// A function that resumes `handle` on the executor of the object whose method is running now.
std::function<void()> resumer(std::coroutine_handle<> handle);

}  // namespace octavo::detail
