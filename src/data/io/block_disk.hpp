// SPDX-License-Identifier: Apache-2.0
// What moves parts of stored blocks between files and memory: a Disk where they lie there as they are, an EncodedDisk where codecs are between.
//
// Contract: read and write return at once (they wait only while very many requests are waiting); `done` runs exactly once for each request, on a
// thread of the disk's own, with the error if there was one; it must be short and must not throw. Requests that overlap have no order until the earlier one
// is done. A write changes no element outside its part. The destructor finishes what was asked for.
// Threading: every method from any thread; sync() not from `done`. Failure: what is wrong with the call itself is thrown at once.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <span>

#include "octavo/data/phases.hpp"
#include "octavo/data/stored.hpp"

namespace octavo {

using Done = std::function<void(std::exception_ptr error)>;

struct DiskCounters {
  std::int64_t bytes_read = 0, bytes_written = 0;  // as moved to and from the file system, gaps included
  std::int64_t requests = 0, transfers = 0;        // transfers: what the kernel was asked for
};

class BlockDisk {
 public:
  virtual ~BlockDisk() = default;

  // `part` lies within the block and goes to tile.at as elements of type `as`. `fill`: one such element, which stands for all elements
  // of what was never written; empty: a missing file is an error. Memory of the tile must stay until `done`.
  virtual void read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) = 0;
  // `part` of the block gets the elements of type `from` that begin at source.at.
  virtual void write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) = 0;

  // Returns when every write made before it is done and on the disk. The errors of the writes themselves went to their `done`.
  virtual void sync() = 0;
  [[nodiscard]] virtual DiskCounters counters() const = 0;
  [[nodiscard]] virtual Phases phases() const = 0;
};

// usage_error where part, tile and block do not fit each other, or the fill element is none of type `as`.
void check_move(const StoredBlock& block, const Box& part, const ConstTile& tile);
void check_fill(std::span<const std::byte> fill, dtype as);

}  // namespace octavo
