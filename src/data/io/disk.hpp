// SPDX-License-Identifier: Apache-2.0
// Moves parts of stored blocks between files and memory at the disk's speed.
//
//   Disk disk;   // 32 buffers of 1 MiB: measured, as fast as the disk; 8 of 4 MiB reach 0.9 of it
//   disk.read(chunk, part, dtype::complex64, tile, fill, [](std::exception_ptr error) { ... });
//   disk.write(chunk, part, dtype::complex64, tile, done);
//   disk.sync();
//
// Contract: read and write return at once (they wait only while max_waiting requests are waiting); `done` runs exactly once for each
// request, on the disk's own thread, with the error if there was one; it must be short and must not throw. Requests that overlap have no
// order until the earlier one is done. Callers need no alignment. A write touches no byte outside its part. The destructor finishes what
// was asked for. Memory: depth * buffer_bytes, mapped when the first byte moves, and nothing else that grows with the data.
// Threading: every method from any thread; sync() not from `done`. Failure: what is wrong with the call itself is thrown at once.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>

#include "data/io/queue.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/data/stored.hpp"

namespace octavo {

struct DiskOptions {
  int depth = 32;                                                      // staging buffers, each under way to or from the disk
  std::int64_t buffer_bytes = 1 * MiB;                                 // at least 8 KiB; rounded up to whole disk blocks
  bool direct = true;                                                  // O_DIRECT, where the file system has it
  std::int64_t max_gap = 64 * KiB;                                     // runs of a read not further apart are read together with what lies between
  int open_files = 32;                                                 // kept open, with up to two descriptors each
  int max_waiting = 1024;                                              // requests
  std::function<void()> missing = {};                                  // on the disk's thread, before `fill` stands for a missing file; may throw
  std::function<std::unique_ptr<Queue>(int entries)> make_queue = {};  // none: io_uring, or threads where that is forbidden
};

struct DiskCounters {
  std::int64_t bytes_read = 0, bytes_written = 0;  // as moved to and from the file system, gaps included
  std::int64_t requests = 0, transfers = 0;        // transfers: what the kernel was asked for
};

using Done = std::function<void(std::exception_ptr error)>;

class Disk {
 public:
  explicit Disk(const DiskOptions& options = {});
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // `part` lies within the block and goes to tile.at as elements of type `as`. `fill`: one such element, which stands for all elements
  // of a file that does not exist; empty: a missing file is an error. Memory of the tile must stay until `done`.
  void read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done);
  // `part` of the block gets the elements of type `from` that begin at source.at.
  void write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done);

  // Returns when every write made before it is done and on the disk. The errors of the writes themselves went to their `done`.
  void sync();
  // Requests that have moved nothing yet get a `refused` error; of the others the rest is dropped, with the same error.
  void abandon();
  [[nodiscard]] DiskCounters counters() const;

 private:
  std::unique_ptr<class DiskEngine> engine_;
};

}  // namespace octavo
