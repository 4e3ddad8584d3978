// SPDX-License-Identifier: Apache-2.0
// The filter fletcher32 of HDF5: the bytes as they are, and behind them the checksum of their 16-bit words, which are big-endian, itself little-endian.
#include <algorithm>
#include <cstring>

#include "data/codec/known.hpp"
#include "data/codec/little.hpp"

namespace octavo {

namespace {

constexpr std::size_t fletcher_bytes = 4;

std::uint32_t folded(std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

std::uint32_t fletcher_of(std::span<const std::byte> bytes) {
  constexpr std::size_t most_words = 360;  // before a sum could be too large
  std::uint32_t first = 0, second = 0;
  std::size_t at = 0;
  for (std::size_t words = bytes.size() / 2; words > 0;) {
    const std::size_t now = std::min(words, most_words);
    words -= now;
    for (std::size_t i = 0; i < now; ++i, at += 2) {
      first += std::to_integer<std::uint32_t>(bytes[at]) << 8 | std::to_integer<std::uint32_t>(bytes[at + 1]);
      second += first;
    }
    first = folded(first), second = folded(second);
  }
  if (at < bytes.size()) {
    first += std::to_integer<std::uint32_t>(bytes[at]) << 8;
    second += first;
    first = folded(first), second = folded(second);
  }
  return folded(second) << 16 | folded(first);
}

// HDF5 up to 1.6.2 stored it so, and every later one takes both.
std::uint32_t with_bytes_swapped(std::uint32_t sum) { return (sum & 0x00ff00ff) << 8 | (sum & 0xff00ff00) >> 8; }

class Fletcher32 : public Codec {
 public:
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes + fletcher_bytes; }
  [[nodiscard]] std::size_t working_bytes(std::size_t /*bytes*/) const override { return 0; }
  [[nodiscard]] std::size_t trailer() const override { return fletcher_bytes; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!from.empty() && to.data() != from.data()) std::memcpy(to.data(), from.data(), from.size());
    put_little(to.data() + from.size(), fletcher_of(from));
    return from.size() + fletcher_bytes;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    check_length(from.size(), to.size() + fletcher_bytes);
    const auto body = from.first(to.size());
    const auto stored = little<std::uint32_t>(from.data() + body.size()), sum = fletcher_of(body);
    if (stored != sum && stored != with_bytes_swapped(sum)) throw Damaged("the checksum is another than that of the bytes");
    if (!to.empty() && to.data() != body.data()) std::memcpy(to.data(), body.data(), body.size());
  }
};

}  // namespace

std::unique_ptr<Codec> make_fletcher32(const CodecConfiguration& /*given*/) { return std::make_unique<Fletcher32>(); }

}  // namespace octavo
