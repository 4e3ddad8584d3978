// SPDX-License-Identifier: Apache-2.0
// What the two memories of the model have in common. Model<Memory> runs on either:
//
//   TsoMemory    x86: each thread has a store buffer                                                 tso_memory.hpp
//   CppMemory    C++'s memory orders, weaker: what is not ordered may be read late by each thread    cpp_memory.hpp
//
// A step of a thread gives `Given`. A step may have several results; `choice` says which one is meant.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

namespace octavo::kit::model {

using Value = std::uint8_t;
constexpr int most_threads = 3, most_places = 6, most_plain = 8;

struct Given {
  Value value = 0;
  int options = 1;
  const char* complaint = nullptr;
};

// Of the bytes that matter, 128 bits: two states of a search are taken for one by less than one in 10^20.
class Digest {
 public:
  void add(std::uint64_t word) noexcept {
    one_ = (one_ ^ word) * 0x9E3779B97F4A7C15U;
    one_ ^= one_ >> 29;
    two_ = (two_ + word) * 0xD6E8FEB86659FD93U;
    two_ ^= two_ >> 32;
  }
  bool operator==(const Digest&) const = default;
  [[nodiscard]] std::size_t hash() const noexcept { return one_ ^ two_; }

 private:
  std::uint64_t one_ = 1, two_ = 2;
};

}  // namespace octavo::kit::model
