// SPDX-License-Identifier: Apache-2.0
// What every fuzz target demands of a decoder: it takes the bytes or throws one of octavo's errors, and its memory is a multiple of the input.
//
//   extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
//     accepts(size, [&] { parse(as_text(data, size)); });
//     return 0;
//   }
//
// Anything else that is thrown leaves the target, which ends the program; so does require(). libFuzzer and replay.cpp then keep the input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string_view>

#include "octavo/base/error.hpp"

namespace octavo::fuzz {

// In every build, unlike assert.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// Most bytes allocated at once since it was made. Only sanitizers can tell; without one peak() is 0.
class Memory {
 public:
  Memory();
  [[nodiscard]] std::int64_t peak() const;
};

inline constexpr std::int64_t memory_floor = 256 << 10, memory_factor = 200;

// Of an input whose first 8 bytes are a seed: work(the rest, what it seeds). Less than that is no input.
template <class Work>
int seeded(const std::uint8_t* data, std::size_t size, Work&& work) {
  std::uint64_t seed = 0;
  if (size < sizeof seed) return 0;
  std::memcpy(&seed, data, sizeof seed);
  std::mt19937_64 random(seed);
  work(std::as_bytes(std::span(data, size)).subspan(sizeof seed), random);
  return 0;
}

// Whether `work` took `input_bytes` of input; false if it refused them properly.
template <class Work>
bool accepts(std::size_t input_bytes, Work&& work) {
  Memory memory;
  bool accepted = false;
  try {
    work();
    accepted = true;
  } catch (const error& e) {
    std::string_view text = e.what();
    require(!text.empty() && text.size() < 1200 + 8 * input_bytes, "an error has a text, and not much of it");
  }
  require(memory.peak() <= memory_floor + memory_factor * static_cast<std::int64_t>(input_bytes), "memory is a small multiple of the input");
  return accepted;
}

}  // namespace octavo::fuzz
