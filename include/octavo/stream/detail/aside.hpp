// SPDX-License-Identifier: Apache-2.0
// What an unbounded belt (belt.hpp) has no slots for, up to so much memory: then an error that says before which stage it lies.
// Threading: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace octavo::stream {

class AsideBase {
 public:
  AsideBase(std::string stage, std::uint64_t most) : stage_(std::move(stage)), most_(most) {}
  [[nodiscard]] bool is_empty() const noexcept { return count_.load(std::memory_order_seq_cst) == 0; }

 protected:
  // With the mutex. Throws refused.
  void add(std::uint64_t bytes);
  void remove(std::uint64_t bytes) noexcept;
  std::mutex mutex_;

 private:
  const std::string stage_;
  const std::uint64_t most_;
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t> count_{0};
};

template <class T>
class Aside : public AsideBase {
 public:
  using AsideBase::AsideBase;
  void put(std::uint64_t number, T&& value, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    add(bytes + overhead);
    items_.emplace(number, Item{std::move(value), bytes + overhead});
  }
  // Calls give() with that number's value, if it is here and may() says so; nobody else does it meanwhile.
  template <class May, class Give>
  void take(std::uint64_t number, const May& may, const Give& give) {
    const std::lock_guard lock(mutex_);
    const auto found = items_.find(number);
    if (found == items_.end() || !may()) return;
    give(std::move(found->second.value));
    remove(found->second.bytes);
    items_.erase(found);
  }

 private:
  static constexpr std::uint64_t overhead = 64;  // of a node
  struct Item {
    T value;
    std::uint64_t bytes;
  };
  std::map<std::uint64_t, Item> items_;
};

}  // namespace octavo::stream
