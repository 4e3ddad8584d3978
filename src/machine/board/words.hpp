// SPDX-License-Identifier: Apache-2.0
// Text and words in memory that another process reads while they are written.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace octavo::board {

using SharedWord = std::atomic<std::uint64_t>;

inline void put(SharedWord& word, std::uint64_t value) noexcept { word.store(value, std::memory_order_release); }
inline std::uint64_t get(const SharedWord& word) noexcept { return word.load(std::memory_order_acquire); }

// What of `text` fits, without half a character at its end.
inline std::string_view cut(std::string_view text, std::size_t room) noexcept {
  if (text.size() <= room) return text;
  while (room != 0 && (static_cast<unsigned char>(text[room]) & 0xC0) == 0x80) --room;
  return text.substr(0, room);
}

template <std::size_t words>
void put_text(std::array<SharedWord, words>& to, std::string_view text) noexcept {
  text = cut(text, words * 8);
  for (std::size_t i = 0; i < words; ++i) {
    std::uint64_t word = 0;
    if (i * 8 < text.size()) std::memcpy(&word, text.data() + i * 8, std::min<std::size_t>(8, text.size() - i * 8));
    if (to[i].load(std::memory_order_relaxed) != word) put(to[i], word);
    if (word == 0 && i * 8 >= text.size()) return;  // nothing behind the first word of zeros is read
  }
}

// As it is if it is UTF-8 without control characters; what is not is replaced by '?'.
std::string clean_text(std::string_view bytes);

template <std::size_t words>
std::string get_text(const std::array<SharedWord, words>& from) {
  std::array<char, words * 8> bytes{};
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t word = get(from[i]);
    std::memcpy(bytes.data() + i * 8, &word, 8);
    if (word == 0) break;
  }
  return clean_text({bytes.data(), ::strnlen(bytes.data(), bytes.size())});
}

// What another process says of times and pids, where it can be.
double time_of(std::uint64_t bits);                            // seconds since 1970; else 0
double seconds_since(std::uint64_t since, std::uint64_t now);  // of ns
std::int64_t pid_of(std::uint64_t word);                       // else 0
std::uint32_t incarnation_of(std::uint64_t word);              // else 0

}  // namespace octavo::board
