// SPDX-License-Identifier: Apache-2.0
// A message in a file: a head, then its bytes. Length and checksum tell whether all of it is there yet, whatever the file system says of its size.
//
//   Head head{.number = 7, .received = 3};
//   seal(head, pieces);                                     // its size and checksum
//   if (is_whole(file)) use(head_of(file), payload_of(file));
//
// Integers are little endian.
#pragma once

#include <cstdint>
#include <span>

#include "octavo/base/bytes.hpp"

namespace octavo::road::files {

enum class content : std::uint16_t { bytes = 1, receipt = 2, greeting = 3, last = 4 };

struct Head {
  std::uint32_t magic = 0x464D564F;  // "OVMF"
  content what = content::bytes;
  std::uint16_t is_lent = 0;   // 1: who sent it takes the file back, and its reader leaves it there; behind the message may be some of an older one
  std::uint64_t number = 0;    // the file's name
  std::uint64_t received = 0;  // so many messages with bytes have come from the other side
  std::uint64_t size = 0;      // of what follows
  std::uint64_t checksum = 0;  // of all before, and what follows
};
static_assert(sizeof(Head) == 40);

inline constexpr std::size_t most_in_message = 1 << 20;

void seal(Head& head, std::span<const ByteView> pieces);
// Of this number. False: some of it is missing, or it is something else.
[[nodiscard]] bool is_whole(ByteView file, std::uint64_t number);
[[nodiscard]] bool is_whole(const Head& head, std::span<const ByteView> behind, std::uint64_t number);
[[nodiscard]] Head head_of(ByteView file);
[[nodiscard]] inline ByteView payload_of(ByteView file) { return file.subspan(sizeof(Head), head_of(file).size); }  // of one that is whole

}  // namespace octavo::road::files
