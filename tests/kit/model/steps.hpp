// SPDX-License-Identifier: Apache-2.0
// What a lock is made of so that the model runs it: see octavo/base/steps.hpp for what these words mean.
// `barriers`: the machine has them; else nobody is an owner.
// `needed`: how often a thread comes again, with nobody between, until it is the owner. 0: each that may be is it at once.
#pragma once

#include <chrono>

#include "kit/model/model.hpp"

namespace octavo::kit::model {

template <class Memory, unsigned needed, bool barriers = true>
struct ModelSteps {
  static auto& here() noexcept { return Model<Memory>::here(); }

  template <class T>
  class Atomic {
   public:
    Atomic(T value) : place_(here().new_place(static_cast<Value>(value))) {}  // NOLINT(google-explicit-constructor): as std::atomic
    T load(std::memory_order order = std::memory_order_seq_cst) const noexcept { return static_cast<T>(here().load(place_, order)); }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept { here().store(place_, order, static_cast<Value>(value)); }
    T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
      return static_cast<T>(here().exchange(place_, order, static_cast<Value>(value)));
    }
    T fetch_add(T value) noexcept { return static_cast<T>(here().add(place_, std::memory_order_seq_cst, static_cast<Value>(value))); }
    T fetch_sub(T value) noexcept { return static_cast<T>(here().add(place_, std::memory_order_seq_cst, static_cast<Value>(-value))); }
    bool compare_exchange_strong(T& expected, T value) noexcept {
      auto was = static_cast<Value>(expected);
      const bool done = here().exchange_if(place_, was, static_cast<Value>(value));
      expected = static_cast<T>(was);
      return done;
    }

   private:
    int place_;
  };

  template <class T>
  class Plain {
   public:
    Plain(T value) : plain_(here().new_plain(static_cast<Value>(value))) {}            // NOLINT(google-explicit-constructor): as a T
    operator T() const noexcept { return static_cast<T>(here().read_plain(plain_)); }  // NOLINT(google-explicit-constructor)
    Plain& operator=(T value) noexcept {
      here().write_plain(plain_, static_cast<Value>(value));
      return *this;
    }

   private:
    int plain_;
  };

  using Thread = std::uint8_t;
  struct Clock {  // that stands still
    using time_point = std::chrono::steady_clock::time_point;
    static time_point now() noexcept { return {}; }
  };
  static Thread this_thread() noexcept { return static_cast<Thread>(here().thread() + 1); }
  static bool barrier_possible() noexcept { return barriers; }
  static void barrier() noexcept { here().barrier(); }
  static void wait(int) noexcept { here().wait(); }
  static constexpr unsigned first_needed = needed, most_needed = needed;
};

}  // namespace octavo::kit::model
