// SPDX-License-Identifier: Apache-2.0
// The memory of x86 (TSO, Owens, Sarkar and Sewell 2009): what a thread writes, plain data too, waits in its buffer, where it alone reads it, and comes
// into memory in order. That it comes is a step of its own. A locked operation, and a seq_cst store, which is one, first empties the thread's own buffer.
// barrier() empties all buffers, as one step; so membarrier(2) does at least, whose return is after a full barrier of each running thread.
#pragma once

#include "kit/model/memory.hpp"

namespace octavo::kit::model {

class TsoMemory {
 public:
  static constexpr const char* late_step = "what it wrote first comes into memory";

  int new_place(Value value) noexcept { return memory_[places_] = value, places_++; }
  int new_plain(Value value) noexcept { return memory_[most_places + plains_] = value, plains_++; }

  Given load(int thread, int place, std::memory_order, int) const noexcept { return {.value = read(thread, place)}; }
  Given store(int thread, int place, std::memory_order order, Value value) noexcept {
    if (order != std::memory_order_seq_cst) return write(thread, place, value);
    empty(thread);
    memory_[place] = value;
    return {};
  }
  template <class Change>
  Given change(int thread, int place, std::memory_order, const Change& value_of) noexcept {
    empty(thread);
    const Value was = memory_[place];
    memory_[place] = value_of(was);
    return {.value = was};
  }
  Given exchange_if(int thread, int place, Value expected, Value value, int) noexcept {
    return change(thread, place, std::memory_order_seq_cst, [&](Value was) { return was == expected ? value : was; });
  }
  void barrier() noexcept {
    for (int t = 0; t < most_threads; ++t) empty(t);
  }
  Given read_plain(int thread, int plain) const noexcept { return {.value = read(thread, most_places + plain)}; }
  Given write_plain(int thread, int plain, Value value) noexcept { return write(thread, most_places + plain, value); }
  // A thread rings, or hears of that: each takes and leaves a mutex.
  void rings(int thread) noexcept { empty(thread); }
  void hears(int thread) noexcept { empty(thread); }

  [[nodiscard]] bool has_late(int thread) const noexcept { return buffers_[thread].count != 0; }
  void let_late_come(int thread) noexcept {
    auto& mine = buffers_[thread];
    memory_[mine.writes[0].where] = mine.writes[0].value;
    std::copy(mine.writes.begin() + 1, mine.writes.begin() + mine.count, mine.writes.begin());
    --mine.count;
  }
  void tidy(unsigned) noexcept {}
  void add_to(Digest& all) const noexcept {
    for (const auto value : memory_) all.add(value);
    for (const auto& each : buffers_) {
      all.add(each.count);
      for (int i = 0; i < each.count; ++i) all.add(each.writes[i].where << 8 | each.writes[i].value);
    }
  }

 private:
  static constexpr int most_late = 48;
  struct Write {
    std::uint8_t where;
    Value value;
  };
  struct Buffer {
    std::array<Write, most_late> writes{};
    std::uint8_t count = 0;
  };
  [[nodiscard]] Value read(int thread, int where) const noexcept {
    const auto& mine = buffers_[thread];
    for (int i = mine.count; i-- != 0;)
      if (mine.writes[i].where == where) return mine.writes[i].value;
    return memory_[where];
  }
  Given write(int thread, int where, Value value) noexcept {
    auto& mine = buffers_[thread];
    if (mine.count == most_late) return {.complaint = "the model's store buffer is too short (most_late)"};
    mine.writes[mine.count++] = {static_cast<std::uint8_t>(where), value};
    return {};
  }
  void empty(int thread) noexcept {
    while (has_late(thread)) let_late_come(thread);
  }

  std::array<Value, most_places + most_plain> memory_{};
  int places_ = 0, plains_ = 0;
  std::array<Buffer, most_threads> buffers_{};
};

}  // namespace octavo::kit::model
