// SPDX-License-Identifier: Apache-2.0
// LZ4 as numcodecs has it, by liblz4: how many bytes it gives, in four, and then one block.
#include <lz4.h>

#include <algorithm>
#include <limits>

#include "data/codec/known.hpp"
#include "data/codec/little.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t lz4_length_bytes = 4, lz4_state_bytes = std::size_t{16} << 10;  // of an encoder, on its stack
constexpr int most_acceleration = 65537;

class Lz4 : public Codec {
 public:
  explicit Lz4(int acceleration) : acceleration_(acceleration) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return lz4_length_bytes + bytes + bytes / 255 + 16; }
  [[nodiscard]] std::size_t working_bytes(std::size_t /*bytes*/) const override { return lz4_state_bytes; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() > LZ4_MAX_INPUT_SIZE)
      throw io_error("lz4 cannot encode " + std::to_string(from.size()) + " bytes at once, but " + std::to_string(LZ4_MAX_INPUT_SIZE), "Choose smaller chunks");
    put_little(to.data(), static_cast<std::uint32_t>(from.size()));
    const auto room = std::min<std::size_t>(to.size() - lz4_length_bytes, std::numeric_limits<int>::max());
    const int made = LZ4_compress_fast(chars(from.data()), reinterpret_cast<char*>(to.data() + lz4_length_bytes), static_cast<int>(from.size()),
                                       static_cast<int>(room), acceleration_);
    if (made <= 0) throw io_error("lz4 cannot encode", "Give more memory");
    return lz4_length_bytes + static_cast<std::size_t>(made);
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() < lz4_length_bytes) throw Damaged("it has only " + std::to_string(from.size()) + " bytes");
    check_length(little<std::uint32_t>(from.data()), to.size());
    const auto block = from.subspan(lz4_length_bytes);
    if (to.size() > LZ4_MAX_INPUT_SIZE || block.size() > std::numeric_limits<int>::max()) throw Damaged("it is longer than lz4 encodes at once");
    const int made = LZ4_decompress_safe(chars(block.data()), reinterpret_cast<char*>(to.data()), static_cast<int>(block.size()), static_cast<int>(to.size()));
    if (made < 0) throw Damaged("its bytes make no sense");
    check_length(static_cast<std::uint64_t>(made), to.size());
  }

 private:
  static const char* chars(const std::byte* bytes) { return reinterpret_cast<const char*>(bytes); }
  int acceleration_;
};

}  // namespace

std::unique_ptr<Codec> make_lz4(const CodecConfiguration& given) { return std::make_unique<Lz4>(given.number("acceleration", 1, most_acceleration, 1)); }

}  // namespace octavo
