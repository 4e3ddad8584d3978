// SPDX-License-Identifier: Apache-2.0
// The codec crc32c of Zarr: the bytes as they are, and behind them their checksum, little-endian.
#include <cstring>

#include "data/codec/crc32c.hpp"
#include "data/codec/known.hpp"
#include "data/codec/little.hpp"

namespace octavo {

namespace {

constexpr std::size_t sum_bytes = 4;

std::uint32_t sum_of(std::span<const std::byte> bytes) { return crc32c({reinterpret_cast<const char*>(bytes.data()), bytes.size()}); }

class Checksum : public Codec {
 public:
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes + sum_bytes; }
  [[nodiscard]] std::size_t working_bytes(std::size_t bytes) const override { return 0 * bytes; }
  [[nodiscard]] std::size_t trailer() const override { return sum_bytes; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!from.empty() && to.data() != from.data()) std::memcpy(to.data(), from.data(), from.size());
    put_little(to.data() + from.size(), sum_of(from));
    return from.size() + sum_bytes;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() != to.size() + sum_bytes) throw Damaged(std::to_string(from.size()) + " bytes where " + std::to_string(to.size() + sum_bytes) + " belong");
    const auto body = from.first(to.size());
    if (sum_of(body) != little<std::uint32_t>(from.data() + body.size())) throw Damaged("the checksum is another than that of the bytes");
    if (!to.empty() && to.data() != body.data()) std::memcpy(to.data(), body.data(), body.size());
  }
};

}  // namespace

std::unique_ptr<Codec> make_crc32c(const CodecConfiguration&) { return std::make_unique<Checksum>(); }

}  // namespace octavo
