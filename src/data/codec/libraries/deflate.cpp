// SPDX-License-Identifier: Apache-2.0
// gzip and zlib, by libdeflate, which is twice as fast as zlib at the same level. A gzip file may have several members.
#include <libdeflate.h>

#include "data/codec/known.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int most_deflate_level = 9, usual_deflate_level = 5;
constexpr std::size_t deflate_tables = std::size_t{1} << 20;  // of libdeflate, up to level 9

enum class wrapping { gzip, zlib };

class Deflate : public Codec {
 public:
  Deflate(wrapping kind, int level) : kind_(kind), level_(level) {}

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const override {
    return kind_ == wrapping::gzip ? libdeflate_gzip_compress_bound(nullptr, bytes) : libdeflate_zlib_compress_bound(nullptr, bytes);
  }
  [[nodiscard]] std::size_t working_bytes(std::size_t) const override { return deflate_tables; }

  std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!encoder_) encoder_.reset(libdeflate_alloc_compressor(level_));
    if (!encoder_) throw io_error("there is no memory for deflate to encode", "Give more memory");
    const std::size_t made = kind_ == wrapping::gzip ? libdeflate_gzip_compress(encoder_.get(), from.data(), from.size(), to.data(), to.size())
                                                     : libdeflate_zlib_compress(encoder_.get(), from.data(), from.size(), to.data(), to.size());
    if (made == 0) throw usage_error("deflate was given too little room to encode", "Give room for most_encoded() bytes");
    return made;
  }

  void decode(std::span<const std::byte> from, std::span<std::byte> to) override {
    if (!decoder_) decoder_.reset(libdeflate_alloc_decompressor());
    if (!decoder_) throw io_error("there is no memory for deflate to decode", "Give more memory");
    std::size_t done = 0;
    do {
      std::size_t taken = 0, made = 0;
      check(decode_one(from, to.subspan(done), taken, made));
      from = from.subspan(taken);
      done += made;
    } while (!from.empty() && kind_ == wrapping::gzip);
    if (!from.empty()) throw Damaged(std::to_string(from.size()) + " bytes stand behind its end");
    check_length(done, to.size());
  }

 private:
  libdeflate_result decode_one(std::span<const std::byte> from, std::span<std::byte> to, std::size_t& taken, std::size_t& made) {
    return kind_ == wrapping::gzip ? libdeflate_gzip_decompress_ex(decoder_.get(), from.data(), from.size(), to.data(), to.size(), &taken, &made)
                                   : libdeflate_zlib_decompress_ex(decoder_.get(), from.data(), from.size(), to.data(), to.size(), &taken, &made);
  }

  static void check(libdeflate_result result) {
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) throw Damaged("it has more bytes than belong there");
    if (result != LIBDEFLATE_SUCCESS) throw Damaged("it is no deflate stream, or its checksum is another than that of the bytes");
  }

  struct Free {
    void operator()(libdeflate_compressor* context) const { libdeflate_free_compressor(context); }
    void operator()(libdeflate_decompressor* context) const { libdeflate_free_decompressor(context); }
  };
  wrapping kind_;
  int level_;
  std::unique_ptr<libdeflate_compressor, Free> encoder_;
  std::unique_ptr<libdeflate_decompressor, Free> decoder_;
};

// zlib's -1 is its usual level.
std::unique_ptr<Codec> make_deflate(wrapping kind, const CodecConfiguration& given) {
  const int level = given.number("level", -1, most_deflate_level, usual_deflate_level);
  return std::make_unique<Deflate>(kind, level < 0 ? usual_deflate_level : level);
}

}  // namespace

std::unique_ptr<Codec> make_gzip(const CodecConfiguration& given) { return make_deflate(wrapping::gzip, given); }
std::unique_ptr<Codec> make_zlib(const CodecConfiguration& given) { return make_deflate(wrapping::zlib, given); }

}  // namespace octavo
