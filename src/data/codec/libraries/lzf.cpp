// SPDX-License-Identifier: Apache-2.0
// The filter lzf, which h5py brings to HDF5, by liblzf.
#include <lzf.h>

#include <limits>

#include "data/codec/known.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_lzf_bytes = std::numeric_limits<unsigned>::max();
constexpr std::size_t lzf_table_bytes = std::size_t{1} << 20;  // of an encoder, on its stack

class Lzf : public Codec {
 public:
  // What has nothing to leave out takes a byte more for each 32.
  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes + bytes / 16 + 64; }
  [[nodiscard]] std::size_t working_bytes(std::size_t /*bytes*/) const override { return lzf_table_bytes; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (to.size() > most_lzf_bytes) throw io_error("lzf cannot encode " + std::to_string(from.size()) + " bytes at once", "Choose chunks below 4 GiB");
    const unsigned made = lzf_compress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size()));
    if (made == 0) throw io_error("lzf cannot encode " + std::to_string(from.size()) + " bytes", "Choose another compressor");
    return made;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() > most_lzf_bytes || to.size() > most_lzf_bytes) throw Damaged("it is longer than lzf encodes at once");
    const unsigned made = from.empty() ? 0 : lzf_decompress(from.data(), static_cast<unsigned>(from.size()), to.data(), static_cast<unsigned>(to.size()));
    if (made == 0) throw Damaged("its bytes make no sense, or do not fit");
    check_length(made, to.size());
  }
};

}  // namespace

std::unique_ptr<Codec> make_lzf(const CodecConfiguration& /*given*/) { return std::make_unique<Lzf>(); }

}  // namespace octavo
