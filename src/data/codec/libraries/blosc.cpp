// SPDX-License-Identifier: Apache-2.0
// Blosc (version 1), by c-blosc, without its threads: chunks are what goes on beside each other.
#include <blosc.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "data/codec/known.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t least_blosc = BLOSC_MIN_HEADER_LENGTH;
constexpr std::size_t blosc_tables = std::size_t{4} << 20, usual_blosc_block = std::size_t{2} << 20;

struct BloscSettings {
  std::string compressor;
  int level, shuffle, element_bytes;
  std::size_t block_bytes;  // 0: Blosc chooses
};

class Blosc : public Codec {
 public:
  explicit Blosc(BloscSettings settings) : settings_(std::move(settings)) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return bytes + BLOSC_MAX_OVERHEAD; }
  [[nodiscard]] std::size_t working_bytes(std::size_t bytes) const override {
    return blosc_tables + 3 * std::min(bytes, std::max(settings_.block_bytes, usual_blosc_block));
  }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() > BLOSC_MAX_BUFFERSIZE)
      throw not_supported("Blosc encodes at most 2 GiB, not " + std::to_string(from.size()) + " bytes", "Choose smaller chunks");
    const int made = blosc_compress_ctx(settings_.level, settings_.shuffle, static_cast<std::size_t>(settings_.element_bytes), from.size(), from.data(),
                                        to.data(), to.size(), settings_.compressor.c_str(), settings_.block_bytes, 1);
    if (made <= 0) throw io_error("Blosc cannot encode by " + settings_.compressor, "Choose another compressor");
    return static_cast<std::size_t>(made);
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (from.size() < least_blosc) throw Damaged("it has " + std::to_string(from.size()) + " bytes, fewer than a header of Blosc");
    std::size_t promised = 0, encoded = 0, block = 0;
    blosc_cbuffer_sizes(from.data(), &promised, &encoded, &block);
    if (encoded != from.size()) throw Damaged("it has " + std::to_string(from.size()) + " bytes, and its header says " + std::to_string(encoded));
    check_length(promised, to.size());
    // Blosc takes three blocks of memory.
    if (block > promised) throw Damaged("its blocks are longer than all of it");
    if (blosc_cbuffer_validate(from.data(), from.size(), &promised) != 0) throw Damaged("it has no header of Blosc that is true");
    const int made = blosc_decompress_ctx(from.data(), to.data(), to.size(), 1);
    if (made < 0 || static_cast<std::size_t>(made) != to.size()) throw Damaged("Blosc cannot decode it");
  }

 private:
  BloscSettings settings_;
};

int shuffle_of(const CodecConfiguration& given) {
  const std::string name = given.text("shuffle", "noshuffle");
  if (name == "noshuffle") return BLOSC_NOSHUFFLE;
  if (name == "shuffle") return BLOSC_SHUFFLE;
  if (name == "bitshuffle") return BLOSC_BITSHUFFLE;
  throw usage_error("the 'shuffle' of the codec 'blosc' is '" + cut(name) + "'", "It is noshuffle, shuffle or bitshuffle");
}

}  // namespace

std::unique_ptr<Codec> make_blosc(const CodecConfiguration& given) {
  static constexpr std::array<std::string_view, 6> names{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"};
  BloscSettings settings{given.text("cname", "lz4"), given.number("clevel", 0, 9, 5), shuffle_of(given), given.number("typesize", 1, BLOSC_MAX_TYPESIZE, 1),
                         static_cast<std::size_t>(given.number("blocksize", 0, BLOSC_MAX_BUFFERSIZE, 0))};
  if (std::ranges::find(names, settings.compressor) == names.end())
    throw usage_error("the 'cname' of the codec 'blosc' is '" + cut(settings.compressor) + "'", "It is blosclz, lz4, lz4hc, zlib or zstd");
  if (blosc_compname_to_compcode(settings.compressor.c_str()) < 0)
    throw not_supported("the codec 'blosc' with " + settings.compressor + ": this system's c-blosc was built without it",
                        "The Python package reads it through zarr-python; or choose another compressor");
  return std::make_unique<Blosc>(std::move(settings));
}

}  // namespace octavo
