// SPDX-License-Identifier: Apache-2.0
// What one thread of an EncodedDisk does: parts of chunks from their files into memory, and from memory into their files.
// Where a whole chunk lies in memory in one piece, in the form that is stored, it is decoded to, or encoded from, where it lies.
// Threading: one thread. Failure: io_error that names the file, the chunk and the codec.
#pragma once

#include <map>

#include "data/encoded/chunk_files.hpp"
#include "data/io/block_disk.hpp"
#include "data/io/convert.hpp"
#include "data/phases/phase_meter.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

struct EncodedRequest {
  bool writing;
  StoredBlock block;
  Box part;  // when reading, of one chunk
  dtype type;
  Tile tile;  // of a write too; its memory is then only read
  std::vector<std::byte> fill;
  Done done;
  Converter convert;
  std::uint64_t number = 0;
  std::vector<Box> parts = {};  // of a write that is not of all of `part`: those that are written, within it

  // Whether what was there does not matter.
  [[nodiscard]] bool is_whole() const { return parts.empty() && part == Box::whole(block.used); }
  [[nodiscard]] std::int64_t bytes() const {
    std::int64_t count = parts.empty() ? part.count() : 0;
    for (const Box& each : parts) count += each.count();
    return count * size_of(type);
  }
};

class ChunkCoder {
 public:
  // `missing`: before the fill element stands for a missing file; may throw. `meter`: of the process.
  ChunkCoder(const Storage& storage, ChunkFiles& files, std::shared_ptr<PhaseMeter> meter, std::function<void()> missing);
  void read(const EncodedRequest& request);
  // Of one file: it is decoded and encoded once for all of them.
  void write(std::span<const EncodedRequest> requests);

 private:
  // Where the elements of a chunk lie in the memory of a request.
  struct InMemory {
    std::byte* first;
    Shape strides;  // bytes
    bool dense;
  };
  [[nodiscard]] InMemory memory_of(const EncodedRequest& request, const Box& part) const;
  [[nodiscard]] std::byte* in_scratch(const Box& within);
  std::optional<std::span<const std::byte>> fetch(const EncodedRequest& request, std::int64_t chunk);
  void fill_in(const EncodedRequest& request);
  void fill_scratch(const StoredBlock& block);
  // What is written of a chunk.
  struct Piece {
    const EncodedRequest* of;
    Box part;
  };
  using Pieces = std::map<std::int64_t, std::vector<Piece>>;  // by the chunk's number in its file
  [[nodiscard]] Pieces pieces_of(std::span<const EncodedRequest> requests) const;
  std::span<const std::byte> encode(const std::vector<Piece>& pieces, const Box& chunk, const std::optional<std::span<const std::byte>>& old,
                                    std::span<std::byte> room);
  void put_together(const StoredBlock& block, const Pieces& pieces, const std::optional<ChunkFiles::Whole>& old);
  [[nodiscard]] io_error damaged(const EncodedRequest& request, const Shape& chunk, const char* why);

  const Shape chunk_, strides_;  // of a chunk; the strides in bytes
  const dtype type_;
  ChunkCodecs codecs_;
  ChunkFiles& files_;
  const std::shared_ptr<PhaseMeter> meter_;
  std::function<void()> missing_;
  ChunkBuffer encoded_, scratch_, old_;
  Shape at_;  // of the chunk that is worked on, in its file
};

}  // namespace octavo
