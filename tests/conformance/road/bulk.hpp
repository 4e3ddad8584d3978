// SPDX-License-Identifier: Apache-2.0
// Bulk for the tests of roads, and who waits for it.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "octavo/wire/frame.hpp"

namespace road_tests {

inline std::vector<std::byte> bytes_of(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i >> 8) * 7 + i + seed);
  return bytes;
}

// Every message is received in place.
class Yields : public octavo::wire::InPlaceReceiver {
 public:
  bool receives_in_place(const octavo::wire::FrameHeader& /*header*/) override { return true; }
  void await_bulk(const std::function<bool()>& here) override {
    while (!here()) ::sched_yield();
  }
};

}  // namespace road_tests
