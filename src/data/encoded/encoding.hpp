// SPDX-License-Identifier: Apache-2.0
// How the chunks of a Zarr array are encoded, as Storage::spec has it: {"codecs": [...]} as in Zarr v3, without the codec 'bytes', and for an array in
// shards {"shard": {"checked": true, "at_start": false}}: whether the index has a checksum, and stands before the chunks. For a dataset of HDF5
// {"inode": 123}: of the file in which its chunks were found.
#pragma once

#include "data/codec/chain.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

struct Encoding {
  Json codecs = Json::array();
  bool sharded = false, checked = true, at_start = false;
  std::uint64_t inode = 0;  // 0: any

  static Encoding of(const Storage& storage);
  // Empty if nothing is encoded.
  [[nodiscard]] std::string text() const;
};

// The codecs, ready for the chunks of this array, and the bounds of what they take. One for each thread.
class ChunkCodecs {
 public:
  explicit ChunkCodecs(const Storage& storage);
  [[nodiscard]] CodecChain& chain() { return chain_; }
  [[nodiscard]] std::int64_t chunk_bytes() const { return chunk_bytes_; }
  // A longer chunk in the file is not believed: other encoders may need a little more than ours.
  [[nodiscard]] std::int64_t most_encoded() const { return most_encoded_; }

 private:
  CodecChain chain_;
  std::int64_t chunk_bytes_, most_encoded_;
};

// Memory that a thread takes to read a chunk: the chunk, encoded and decoded, and what its codecs work with.
std::int64_t bytes_to_read(const Storage& storage);
// To write a part of what is written whole, or a shard: it is put together, and what was there may have to be read. A whole chunk takes what reading takes.
std::int64_t bytes_to_write(const Storage& storage);
}  // namespace octavo
