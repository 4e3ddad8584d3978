// SPDX-License-Identifier: Apache-2.0
// One way to make the bytes of a chunk fewer, or to check them: the contract of every codec that Octavo has itself. tests/unit/data/codec cites it.
//
//   auto zstd = octavo::make_codec({{"name", "zstd"}, {"configuration", {{"level", 3}}}});
//   std::vector<std::byte> encoded(zstd->most_encoded(chunk.size()));
//   encoded.resize(zstd->encode(chunk, encoded));
//   zstd->decode(encoded, chunk);   // chunk has the size that the array's metadata promise
//
// CD-1  decode() of what encode() made gives the same bytes back; what the reference library of the codec made, too.
// CD-2  encode() writes at most most_encoded() bytes, and says how many.
// CD-3  decode() gives exactly as many bytes as it was asked for: more or fewer in the input, or bytes behind its end, are `Damaged`.
// CD-4  Whatever the input is, decode() reads and writes within the two ranges that it is given, and takes at most three times the bytes asked for.
// CD-5  After an error the codec can be used on.
// CD-6  working_bytes() bounds what it keeps and takes besides the two ranges.
// Threading: one thread at a time: a codec keeps what its library works with. Failure: Damaged by decode(); io_error where encode() cannot.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/text/json.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

// Why bytes cannot be decoded, in the words of the codec. The thread that knows the file makes an io_error of it.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Codec {
 public:
  virtual ~Codec() = default;
  [[nodiscard]] virtual std::size_t most_encoded(std::size_t bytes) const = 0;
  // Of `to`, which has room for most_encoded() of them, as many as it says.
  virtual std::size_t encode(std::span<const std::byte> from, std::span<std::byte> to) = 0;
  virtual void decode(std::span<const std::byte> from, std::span<std::byte> to) = 0;
  [[nodiscard]] virtual std::size_t working_bytes(std::size_t bytes) const = 0;
  // How many bytes stand behind the others, which it leaves as they are; 0: it changes all of them.
  [[nodiscard]] virtual std::size_t trailer() const { return 0; }
  // Whether it only moves bytes, so that one that makes them fewer may come behind it.
  [[nodiscard]] virtual bool keeps_length() const { return false; }
};

// `codec` as in Zarr v3: {"name": ..., "configuration": {...}}. not_supported, which names it, if Octavo does not have it, or was built without its library;
// usage_error for a configuration that makes no sense.
std::unique_ptr<Codec> make_codec(const Json& codec);
}  // namespace octavo
