// SPDX-License-Identifier: Apache-2.0
// The memory of C++'s atomic operations (relaxed, acquire, release, seq_cst): each place keeps all that was written to it, in order; a load gives any of
// that but what is older than what its thread knows of; an acquiring load learns what the thread knew that released. It is weaker than x86.
//
// Narrower than C++: no load takes effect after a later step of its thread (load buffering, which x86 does not do and Arm may), and a seq_cst load sees
// each seq_cst write whose thread has gone on to its next seq_cst operation. Where two threads write one place, and neither knows of the other, this
// memory does not say in which orders they may come: it complains.
// Plain data: a thread may touch it only if it knows of the last time that any thread did.
// barrier() is one step: each thread knows of all that was written to atomics. It orders no plain data by itself.
#pragma once

#include "kit/model/memory.hpp"

namespace octavo::kit::model {

class CppMemory {
 public:
  static constexpr const char* late_step = "its last seq_cst write comes into the order of those";

  int new_place(Value value) noexcept;
  int new_plain(Value value) noexcept { return plain_[plains_] = value, plains_++; }

  Given load(int thread, int place, std::memory_order order, int choice);
  Given store(int thread, int place, std::memory_order order, Value value) { return {.complaint = write(thread, place, order, value, false)}; }
  template <class Change>
  Given change(int thread, int place, std::memory_order order, const Change& value_of) {
    const Value was = begin_change(thread, place, order);
    return {.value = was, .complaint = write(thread, place, order, value_of(was), true)};
  }
  Given exchange_if(int thread, int place, Value expected, Value value, int choice);
  void barrier() noexcept;
  Given read_plain(int thread, int plain) noexcept { return {.value = plain_[plain], .complaint = touch(thread, plain)}; }
  Given write_plain(int thread, int plain, Value value) noexcept { return plain_[plain] = value, Given{.complaint = touch(thread, plain)}; }
  // A thread rings, or hears of that: each takes and leaves a mutex.
  void rings(int thread) noexcept { rung_.learn(knows_[thread]); }
  void hears(int thread) noexcept { knows_[thread].learn(rung_); }

  [[nodiscard]] bool has_late(int thread) const noexcept { return late_[thread].place >= 0; }
  void let_late_come(int thread) noexcept;
  // Forgets what no thread can read any more. `running`: bits of the threads that have not ended.
  void tidy(unsigned running) noexcept;
  void add_to(Digest& all) const noexcept;

 private:
  static constexpr int most_writes = 24;
  // What a thread knows of: the latest write to each place, counted from the oldest that is kept, and of which plain data the last touch.
  struct View {
    std::array<std::uint8_t, most_places> at{};
    std::uint8_t plain = 255;
    void learn(const View& other) noexcept;
    void add_to(Digest& all) const noexcept;
  };
  struct Write {
    Value value = 0;
    bool changes = false;  // that before it: nothing comes between
    View view;             // what is learnt by acquiring it
  };
  struct Place {
    std::array<Write, most_writes> writes{};
    std::uint8_t count = 0, in_order = 0;  // `in_order`: the latest write that seq_cst loads have to see
    [[nodiscard]] int last() const noexcept { return count - 1; }
  };
  // A seq_cst write that is not yet in the order of those: it is before the next seq_cst operation of its thread.
  struct Late {
    std::int8_t place = -1;
    std::uint8_t at = 0;
  };
  Value begin_change(int thread, int place, std::memory_order order);
  const char* write(int thread, int place, std::memory_order order, Value value, bool changes);
  const char* touch(int thread, int plain) noexcept;
  int oldest_readable(int thread, int place, std::memory_order order) noexcept;
  void read(int thread, int place, std::memory_order order, int at) noexcept;

  std::array<Place, most_places> places_{};
  std::array<View, most_threads> knows_{};
  std::array<Late, most_threads> late_{};
  std::array<Value, most_plain> plain_{};
  View rung_{.at = {}, .plain = 0};  // what the threads knew that rang
  int kept_ = 0, plains_ = 0;
};

}  // namespace octavo::kit::model
