// SPDX-License-Identifier: Apache-2.0
// Where the workers of a stage take their items from: one belt for all of them, or one for each, on which somebody deals.
//
//   Claim claim = entry.claim(worker, most, waiting);             // waits for something; no count: there will be no more
//   std::optional<Claim> now = entry.try_claim(worker, most);     // none: nothing is there now
//   auto [number, slot] = entry.take(worker, claim.first);        // `number`: that its results are to have
//   entry.leave(worker);                                           // when it ends
#pragma once

#include <deque>

#include "octavo/stream/detail/belt.hpp"
#include "octavo/stream/detail/bunch.hpp"

namespace octavo::stream {

template <class Slot>
struct Taken {
  std::uint64_t number;
  Slot slot;
};

// To the worker that is free first.
template <class Is>
class SharedEntry {
  using Slot = typename Is::Slot;

 public:
  SharedEntry(std::shared_ptr<Belt<Slot>> belt, std::size_t workers) : belt_(std::move(belt)), workers_(workers) {}

  template <class Waiting>
  Claim claim(std::size_t /*worker*/, std::uint64_t most, Waiting&& waiting) {
    return belt_->claim(most, workers_, waiting);
  }
  std::optional<Claim> try_claim(std::size_t /*worker*/, std::uint64_t most) { return belt_->try_claim(most, workers_); }
  Taken<Slot> take(std::size_t /*worker*/, std::uint64_t claimed) { return {claimed, belt_->take(claimed)}; }
  // No results have numbers from here on, when all workers have ended.
  [[nodiscard]] std::uint64_t end() const noexcept { return belt_->claimed(); }
  [[nodiscard]] bool is_cancelled(std::size_t /*worker*/) const noexcept { return belt_->is_cancelled(); }
  void leave(std::size_t /*worker*/) noexcept {}

 private:
  const std::shared_ptr<Belt<Slot>> belt_;
  const std::size_t workers_;
};

// What lies before one worker.
template <class T>
struct Numbered {
  std::uint64_t number;
  T item;
  [[nodiscard]] std::uint64_t bytes() const requires counts_bytes<T> { return sizeof number + bytes_of(item); }
};

template <class T>
inline constexpr bool is_played<Numbered<T>> = is_played<T>;

// As it is dealt.
template <class Is>
class Lanes {
  using In = typename Is::In;

 public:
  explicit Lanes(std::vector<std::shared_ptr<Belt<Numbered<In>>>> belts) : belts_(std::move(belts)) {}

  template <class Waiting>
  Claim claim(std::size_t worker, std::uint64_t most, Waiting&& waiting) {
    return belts_[worker]->claim(most, 1, waiting);
  }
  std::optional<Claim> try_claim(std::size_t worker, std::uint64_t most) { return belts_[worker]->try_claim(most, 1); }
  Taken<In> take(std::size_t worker, std::uint64_t claimed) {
    Numbered<In> dealt = belts_[worker]->take(claimed);
    return {dealt.number, std::move(dealt.item)};
  }
  [[nodiscard]] std::uint64_t end() const noexcept { return dealt_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is_cancelled(std::size_t worker) const noexcept { return belts_[worker]->is_cancelled(); }
  // Nobody is to wait for room before a worker that has ended.
  void leave(std::size_t worker) noexcept { belts_[worker]->cancel(); }

  // By the thread that deals, in the order of the numbers. False: nobody wants it.
  template <class Waiting>
  bool put(std::size_t worker, std::uint64_t number, In&& item, Waiting&& waiting) {
    Belt<Numbered<In>>& belt = *belts_[worker];
    dealt_.store(number + 1, std::memory_order_release);
    return belt.put(belt.next_number(), {number, std::move(item)}, waiting);
  }
  void close() noexcept {
    for (const auto& belt : belts_) belt->close(belt->numbers_given());
  }

 private:
  const std::vector<std::shared_ptr<Belt<Numbered<In>>>> belts_;
  std::atomic<std::uint64_t> dealt_{0};
};

}  // namespace octavo::stream
