// SPDX-License-Identifier: Apache-2.0
// The memory of a stream that is shown (stream/detail/shown/shown.hpp): a header, its parts in their order, and the lines of their counters. Heads and parts
// are written once, before the magic; the lines as the stream works. A reader believes nothing: all_streams.cpp.
#pragma once

#include <array>
#include <cstddef>

#include "machine/board/words.hpp"
#include "octavo/stream/detail/shown/counters.hpp"

namespace octavo::stream::shown {

using Word = board::SharedWord;
template <std::size_t bytes>
using Text = std::array<Word, bytes / 8>;  // UTF-8, zeros behind it

inline constexpr const char* memory_name = "octavo-stream";
inline constexpr std::uint64_t magic = 0x4d'52'54'53'4f'56'4f'0a, version = 1;
inline constexpr std::uint64_t most_parts = 4096, most_lines = 1 << 18;

struct Header {
  alignas(64) Word magic;
  Word version, parts, lines;
  Word runs;  // 0: it has ended
  Word agent, incarnation, object, pid;
  Word begun;  // bits of a double: seconds since 1970
  Text<304> class_name;
};
struct Part {
  alignas(64) Word what;
  Word workers, lines;  // its lines lie behind those of the part before it
  Text<168> name;
  Text<192> place;
};
static_assert(sizeof(Header) % alignof(Counters) == 0 && sizeof(Part) % alignof(Counters) == 0);
static_assert(sizeof(Header) == 384 && sizeof(Part) == 384);

constexpr std::size_t bytes_for(std::size_t parts, std::size_t lines) noexcept { return sizeof(Header) + parts * sizeof(Part) + lines * sizeof(Counters); }

}  // namespace octavo::stream::shown
