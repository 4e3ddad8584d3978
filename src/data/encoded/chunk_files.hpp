// SPDX-License-Identifier: Apache-2.0
// The files in which the encoded chunks of an array lie: a chunk in each, or a shard with an index of its chunks.
// Threading: any. Failure: io_error, and Damaged where a file cannot be what it should.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "data/encoded/encoding.hpp"
#include "data/encoded/shard_index.hpp"
#include "data/io/files/files.hpp"

namespace octavo {

// Memory that is kept from one chunk to the next, and grows.
class ChunkBuffer {
 public:
  std::span<std::byte> room(std::int64_t bytes);
  void release() { memory_.reset(), bytes_ = 0; }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::int64_t bytes_ = 0;
};

class ChunkFiles {
 public:
  // `most_encoded`: of a chunk.
  ChunkFiles(const Encoding& encoding, std::int64_t chunks_of_file, std::int64_t most_encoded);

  // The encoded bytes of one chunk of `path`, in `buffer`; none: it was never written.
  std::optional<std::span<const std::byte>> read_chunk(const std::string& path, std::int64_t chunk, ChunkBuffer& buffer);
  // Those of one that lies at a known place among others.
  std::span<const std::byte> read_part(const std::string& path, ShardIndex::Place place, ChunkBuffer& buffer);
  // All of the file, and where its chunks are; none: there is no such file.
  struct Whole {
    std::span<const std::byte> bytes;
    ShardIndex index;
    [[nodiscard]] std::optional<std::span<const std::byte>> chunk(std::int64_t number) const;
  };
  std::optional<Whole> read_whole(const std::string& path, ChunkBuffer& buffer);
  void replace(const std::string& path, std::span<const std::byte> bytes, std::size_t fixed);
  void sync() { files_.sync(); }

  [[nodiscard]] const Encoding& encoding() const { return encoding_; }
  [[nodiscard]] std::int64_t chunks_of_file() const { return chunks_; }
  [[nodiscard]] std::int64_t index_bytes() const { return encoding_.sharded ? ShardIndex::bytes_of(chunks_, encoding_.checked) : 0; }
  [[nodiscard]] std::int64_t bytes_read() const { return bytes_read_; }
  [[nodiscard]] std::int64_t bytes_written() const { return bytes_written_; }

 private:
  struct Known {  // an index that was read, and of which file
    std::string path;
    std::uint64_t inode;
    std::int64_t changed, bytes;  // when, in nanoseconds; how long
    std::shared_ptr<const ShardIndex> index;
  };
  struct Opened {
    Fd file;
    std::string path;
    std::uint64_t inode = 0;
    std::int64_t changed = 0, bytes = 0;
  };
  static std::optional<Opened> open(const std::string& path);
  void read(const Opened& from, std::int64_t at, std::span<std::byte> to);
  std::shared_ptr<const ShardIndex> index_of(const Opened& file);
  [[nodiscard]] ShardIndex index_in(std::span<const std::byte> whole) const;
  void check_chunk(std::int64_t bytes) const;

  const Encoding encoding_;
  const std::int64_t chunks_, most_encoded_;
  Files files_;
  std::mutex mutex_;
  std::list<Known> known_;  // the most recently used first
  std::atomic<std::int64_t> bytes_read_{0}, bytes_written_{0};
};

}  // namespace octavo
