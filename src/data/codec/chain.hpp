// SPDX-License-Identifier: Apache-2.0
// The codecs of an array, one after the other: at most one that moves bytes, one that makes them fewer, and checksums behind it.
//
//   CodecChain chain(parse_json(R"([{"name": "zstd"}, {"name": "crc32c"}])", "a.zarr"));
//   std::vector<std::byte> room(chain.most_encoded(chunk.size()));
//   std::span<const std::byte> encoded = chain.encode(chunk, room);
//   chain.decode(encoded, chunk);
//
// What a compressor makes of the output of another one has no bound, so such chains are not_supported. Contract, threading and failure: as Codec;
// Damaged begins with the name of the codec.
#pragma once

#include "data/codec/codec.hpp"

namespace octavo {

class CodecChain {
 public:
  // A list of codecs as in Zarr v3, those from bytes to bytes alone; empty: the bytes are as they are.
  explicit CodecChain(const Json& codecs);

  [[nodiscard]] std::size_t most_encoded(std::size_t bytes) const;
  [[nodiscard]] std::size_t working_bytes(std::size_t bytes) const;
  // What was made, at the beginning of `room`, which has most_encoded() bytes.
  std::span<const std::byte> encode(std::span<const std::byte> from, std::span<std::byte> room);
  void decode(std::span<const std::byte> from, std::span<std::byte> to);
  // "zstd, crc32c"; empty: none.
  [[nodiscard]] std::string text() const;

 private:
  struct Named {
    std::string name;
    std::unique_ptr<Codec> codec;
  };
  [[nodiscard]] bool has_between() const { return codecs_.size() > 1 && codecs_[0].codec->keeps_length() && codecs_[1].codec->trailer() == 0; }
  std::span<std::byte> between(std::size_t bytes);

  std::vector<Named> codecs_;       // in the order of encoding
  std::vector<std::byte> between_;  // what the first one gives to the second
};

}  // namespace octavo
