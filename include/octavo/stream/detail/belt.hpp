// SPDX-License-Identifier: Apache-2.0
// What lies between two stages: a bounded row of slots, of which each has the number of the item that lies there, or may be put there next.
//
//   Belt<int> belt({.items = 2, .bytes = 1 << 20});
//   belt.put(belt.next_number(), 5);                    // by writers: each number once. An ordered farm gives the number of what it took
//   auto [first, count] = belt.claim(most);             // by readers: numbers that nobody else gets
//   int value = belt.take(first);
//   belt.close(end);                                    // no number from `end` on will come
//
// A number may be put when the one `bound` before it was taken: so the item that is due always has room, whatever lies ready behind it.
// Bytes are counted for types that have memory of their own; over the bound nothing is put but what is due. An unbounded belt lays aside what has no room.
// Threading: any; with one reader, it is to be the same thread until another one has synchronised with it.
#pragma once

#include <algorithm>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "octavo/stream/detail/aside.hpp"
#include "octavo/stream/detail/bytes_of.hpp"
#include "octavo/stream/detail/gate.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo::stream {

struct Claim {
  std::uint64_t first = 0, count = 0;  // no count: there will be no more
};

class BeltBase {
 public:
  static constexpr std::uint64_t endless = ~std::uint64_t{0};
  explicit BeltBase(const StreamBound& bound) : bound_(bound) {}
  BeltBase(const BeltBase&) = delete;
  BeltBase& operator=(const BeltBase&) = delete;

  [[nodiscard]] std::uint64_t next_number() noexcept {
    if (!one_writes_) return next_to_put_.fetch_add(1, std::memory_order_relaxed);
    const auto next = next_to_put_.load(std::memory_order_relaxed);
    next_to_put_.store(next + 1, std::memory_order_relaxed);
    return next;
  }
  [[nodiscard]] std::uint64_t numbers_given() const noexcept { return next_to_put_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t claimed() const noexcept { return next_to_claim_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
  // There is nothing to be claimed any more, and never will be.
  [[nodiscard]] bool is_over() const noexcept { return is_over(claimed()); }
  // The lowest end counts.
  void close(std::uint64_t end) noexcept;
  // Nobody wants anything from here any more: put and claim return at once.
  void cancel() noexcept;
  // By one thread at a time; before it is written.
  void one_writes() noexcept { one_writes_ = true; }
  void poll_first(int polls) noexcept;
  void play(Played* by) noexcept;
  // For readers that something else than the belt may let go on, too: until ready(). The thread that makes that so wakes them.
  template <class Ready>
  void wait_to_read(const Ready& ready) {
    readers_.wait(ready, endless);
  }
  void wake_readers() noexcept { readers_.passed(endless); }

 protected:
  [[nodiscard]] bool is_over(std::uint64_t next) const noexcept { return is_cancelled() || next >= end(); }
  const StreamBound bound_;
  Played* played_ = nullptr;
  bool one_writes_ = false;
  std::atomic<std::uint64_t> end_{endless}, bytes_{0};
  std::atomic<bool> cancelled_{false};
  alignas(64) std::atomic<std::uint64_t> next_to_put_{0};
  alignas(64) std::atomic<std::uint64_t> next_to_claim_{0};
  alignas(64) Gate readers_;
  alignas(64) Gate writers_;
};

template <class T>
class Belt : public BeltBase {
 public:
  // `aside`: for an unbounded one.
  explicit Belt(const StreamBound& bound, std::unique_ptr<Aside<T>> aside = nullptr)
      : BeltBase(bound),
        aside_(std::move(aside)),
        mask_((bound.items & (bound.items - 1)) == 0 ? bound.items - 1 : 0),
        slots_(std::make_unique<Slot[]>(bound.items)) {
    for (std::uint64_t i = 0; i < bound.items; ++i) slots_[i].turn.store(2 * i, std::memory_order_relaxed);
  }
  ~Belt() {
    for (std::uint64_t i = 0; i < bound_.items; ++i)
      if (slots_[i].turn.load(std::memory_order_acquire) % 2 == 1) std::destroy_at(slots_[i].value());
  }

  // False: nobody wants it, and the value is as it was. `waited` is called with what it returned when it began to wait.
  template <class Waiting>
  bool put(std::uint64_t number, T&& value, Waiting&& waiting) {
    step();
    Slot& slot = slot_of(number);
    const std::uint64_t bytes = bytes_of(value);
    const auto ready = [&] { return (slot.turn.load(std::memory_order_seq_cst) == 2 * number && has_room(number, bytes)) || is_unwanted(number); };
    if (!ready()) {
      if (aside_ != nullptr) return put_aside(number, std::move(value), bytes);
      waiting([&] { writers_.wait(ready, number - bound_.items / 2 - bound_.items % 2); });
    }
    if (is_unwanted(number)) return false;
    step();
    lay(slot, number, std::move(value), bytes);
    return true;
  }

  // So many as lie ready, one behind the other, at most `most`; waits for one. `share`: leaves as much to each of so many readers.
  template <class Waiting>
  Claim claim(std::uint64_t most, std::uint64_t share, Waiting&& waiting) {
    for (;;) {
      if (const auto claim = try_claim(most, share)) return *claim;
      waiting([&] { readers_.wait([&] { return is_over(claimed()) || holds_next(); }, claimed() + bound_.items / 2); });
    }
  }
  // None: nothing lies there now.
  std::optional<Claim> try_claim(std::uint64_t most, std::uint64_t share) {
    for (;;) {
      auto next = next_to_claim_.load(std::memory_order_acquire);
      if (is_over(next)) return Claim{};
      std::uint64_t count = 0;
      while (count < most * share && holds(next + count)) ++count;
      if (count == 0) return std::nullopt;
      const auto last = end();  // it may be closed since, before some that lie there
      if (next >= last) return Claim{};
      count = std::min(count, last - next);
      count = (count + share - 1) / share;
      step();
      if (share == 1) next_to_claim_.store(next + count, std::memory_order_release);
      else if (!next_to_claim_.compare_exchange_strong(next, next + count)) continue;
      return Claim{next, count};
    }
  }
  // Something lies there to be claimed.
  [[nodiscard]] bool holds_next() const noexcept { return holds(claimed()); }

  // Of a number that was claimed.
  T take(std::uint64_t number) {
    Slot& slot = slot_of(number);
    T value(std::move(*slot.value()));
    if constexpr (counts_bytes<T>) bytes_.fetch_sub(bytes_of(value), std::memory_order_seq_cst);
    std::destroy_at(slot.value());
    step();
    slot.turn.store(2 * (number + bound_.items), std::memory_order_release);
    step();
    if (aside_ != nullptr && !aside_->is_empty()) bring_in(number + bound_.items);
    writers_.passed(number);
    return value;
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> turn;  // 2n: number n may be put here; 2n + 1: it lies here
    alignas(T) std::byte bytes[sizeof(T)];
    T* value() noexcept { return std::launder(reinterpret_cast<T*>(bytes)); }
  };
  void step() const {
    if constexpr (is_played<T>)
      if (played_ != nullptr) played_->step();
  }
  Slot& slot_of(std::uint64_t number) const noexcept { return slots_[mask_ != 0 || bound_.items == 1 ? number & mask_ : number % bound_.items]; }
  [[nodiscard]] bool holds(std::uint64_t number) const noexcept { return slot_of(number).turn.load(std::memory_order_seq_cst) == 2 * number + 1; }
  [[nodiscard]] bool is_unwanted(std::uint64_t number) const noexcept { return is_cancelled() || number >= end(); }
  [[nodiscard]] bool has_room(std::uint64_t number, std::uint64_t more) const noexcept {
    if constexpr (!counts_bytes<T>) return true;
    return bytes_.load(std::memory_order_seq_cst) + more <= bound_.bytes || number <= claimed();
  }
  void lay(Slot& slot, std::uint64_t number, T&& value, std::uint64_t bytes) {
    if constexpr (counts_bytes<T>) bytes_.fetch_add(bytes, std::memory_order_relaxed);
    ::new (static_cast<void*>(slot.value())) T(std::move(value));
    slot.turn.store(2 * number + 1, std::memory_order_release);
    readers_.passed(number);
  }
  bool put_aside(std::uint64_t number, T&& value, std::uint64_t bytes) {
    if (is_unwanted(number)) return false;
    try {
      aside_->put(number, std::move(value), bytes);
    } catch (...) {
      close(number);  // nobody is to wait for it
      throw;
    }
    bring_in(number);  // its slot may have become free meanwhile
    return true;
  }
  // What was laid aside, when its slot is free.
  void bring_in(std::uint64_t number) {
    Slot& slot = slot_of(number);
    aside_->take(
        number, [&] { return slot.turn.load(std::memory_order_seq_cst) == 2 * number; },
        [&](T&& value) { lay(slot, number, std::move(value), bytes_of(value)); });
  }

  const std::unique_ptr<Aside<T>> aside_;
  const std::uint64_t mask_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace octavo::stream
