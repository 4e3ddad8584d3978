// SPDX-License-Identifier: Apache-2.0
// What tests send over links, and how: bytes that tell their place, and one piece at a time.
#pragma once

#include <span>
#include <vector>

#include "octavo/road/link.hpp"

namespace octavo::kit {

inline std::byte byte_at(std::size_t i) { return static_cast<std::byte>(i * 2654435761U >> 24); }
inline std::vector<std::byte> stream(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = byte_at(i);
  return bytes;
}
inline std::size_t send(road::Link& link, ByteView bytes) { return link.send(std::span(&bytes, 1)); }

}  // namespace octavo::kit
