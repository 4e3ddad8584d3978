// SPDX-License-Identifier: Apache-2.0
// Zstandard, by libzstd: one frame, or several behind each other, as its own decoder takes them.
#include <zstd.h>

#include <algorithm>

#include "data/codec/known.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int usual_zstd_level = 3;

// Of the tables of an encoder: libzstd says how large they are to those alone who link it statically. Rounded up from what it says there (1.5.4).
std::size_t table_bytes(int level) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  if (level <= 3) return 4 * mebibyte;
  if (level <= 9) return 16 * mebibyte;
  if (level <= 15) return 32 * mebibyte;
  return level <= 19 ? 96 * mebibyte : 800 * mebibyte;
}

constexpr std::size_t decoder_bytes = std::size_t{256} << 10;

class Zstd : public Codec {
 public:
  Zstd(int level, bool checksum) : level_(level), checksum_(checksum) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override { return ZSTD_compressBound(bytes); }
  // Tables are no larger than few bytes need.
  [[nodiscard]] std::size_t working_bytes(std::size_t bytes) const override {
    return decoder_bytes + std::min(table_bytes(level_), 16 * bytes + (std::size_t{1} << 20));
  }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!encoder_) {
      encoder_.reset(ZSTD_createCCtx());
      if (!encoder_) throw io_error("there is no memory for zstd to encode", "Give more memory, or a lower level");
      ZSTD_CCtx_setParameter(encoder_.get(), ZSTD_c_compressionLevel, level_);
      ZSTD_CCtx_setParameter(encoder_.get(), ZSTD_c_checksumFlag, checksum_ ? 1 : 0);
    }
    const std::size_t made = ZSTD_compress2(encoder_.get(), to.data(), to.size(), from.data(), from.size());
    if (ZSTD_isError(made) != 0) throw io_error("zstd cannot encode: " + std::string(ZSTD_getErrorName(made)), "Give more memory, or a lower level");
    return made;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!decoder_) decoder_.reset(ZSTD_createDCtx());
    if (!decoder_) throw io_error("there is no memory for zstd to decode", "Give more memory");
    const std::size_t made = ZSTD_decompressDCtx(decoder_.get(), to.data(), to.size(), from.data(), from.size());
    if (ZSTD_isError(made) != 0) throw Damaged(ZSTD_getErrorName(made));
    check_length(made, to.size());
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  int level_;
  bool checksum_;
  std::unique_ptr<ZSTD_CCtx, Free> encoder_;
  std::unique_ptr<ZSTD_DCtx, Free> decoder_;
};

}  // namespace

std::unique_ptr<Codec> make_zstd(const CodecConfiguration& given) {
  return std::make_unique<Zstd>(given.number("level", ZSTD_minCLevel(), ZSTD_maxCLevel(), usual_zstd_level), given.flag("checksum"));
}

}  // namespace octavo
