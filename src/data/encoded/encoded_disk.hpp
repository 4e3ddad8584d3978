// SPDX-License-Identifier: Apache-2.0
// Moves parts of encoded chunks between files and memory, on all cores.
//
//   EncodedDisk disk(storage, {.memory = encoding_memory(storage, false, cores, 64 * MiB)});
//   disk.read(block_of(storage, {0, 1}), part, dtype::float32, tile, fill, [](std::exception_ptr error) { ... });
//
// Contract: as BlockDisk. Besides: a chunk is read and written whole; a part of one that is written is put into what the file has, one such write of a
// file after the other (of this disk: two programs that write parts of one chunk at once may lose one of them, as with every library). Such writes that wait
// for the same file are done together. A file is there as it was or as it is now. A chunk that cannot be decoded is an io_error with file, chunk and codec, and
// nothing of it is given as read. Memory: what is asked for at once takes at most `memory`, or what one request needs. Threads begin with the first requests.
#pragma once

#include <condition_variable>
#include <deque>
#include <set>
#include <thread>
#include <vector>

#include "data/encoded/chunk_coder.hpp"
#include "data/phases/phase_meter.hpp"

namespace octavo {

struct EncodedDiskOptions {
  std::int64_t memory = 0;
  int threads = 0;                         // at most; 0: one for each core that this process may use
  std::function<void()> missing = {};      // on a thread of the disk, one at a time, before `fill` stands for a missing chunk; may throw
  std::shared_ptr<PhaseMeter> meter = {};  // of the process; none: its own
};

class EncodedDisk : public BlockDisk {
 public:
  explicit EncodedDisk(const Storage& storage, EncodedDiskOptions options = {});
  ~EncodedDisk() override;
  EncodedDisk(const EncodedDisk&) = delete;
  EncodedDisk& operator=(const EncodedDisk&) = delete;

  void read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) override;
  void write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) override;
  // Many parts of one block, which is decoded and encoded once for them. `source`: of the first element of the box around them.
  void write_parts(const StoredBlock& to, std::vector<Box> parts, dtype from, const ConstTile& source, Done done);
  void sync() override;
  [[nodiscard]] DiskCounters counters() const override;
  [[nodiscard]] Phases phases() const override;

 private:
  void add(EncodedRequest request);
  void run();
  [[nodiscard]] std::deque<EncodedRequest>::iterator next();
  [[nodiscard]] std::int64_t memory_for(const EncodedRequest& request) const;
  std::vector<EncodedRequest> take(std::deque<EncodedRequest>::iterator first, std::int64_t memory);
  void work_on(ChunkCoder& coder, std::vector<EncodedRequest>& requests);
  void look_whether_missing();

  const Storage storage_;
  const EncodedDiskOptions options_;
  const std::int64_t to_read_, to_write_;  // memory that a request takes
  const std::size_t most_threads_;
  std::shared_ptr<PhaseMeter> meter_;
  ChunkFiles files_;
  std::mutex missing_mutex_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wanted_, room_, written_;
  std::deque<EncodedRequest> waiting_;
  std::set<std::string> busy_;      // files that are written
  std::set<std::uint64_t> writes_;  // numbers of those not finished
  std::int64_t memory_in_use_ = 0;
  std::uint64_t next_number_ = 0;
  std::int64_t requests_ = 0;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace octavo
