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
//
// Within, a thread cuts requests into ranges, moves them through the staging buffers, and sleeps in the queue. A slot is one staging buffer at
// work for one request. Short ranges share a slot, so that many small transfers are under way at once.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "data/io/block_disk.hpp"
#include "data/io/queue.hpp"
#include "data/io/request.hpp"
#include "data/io/staging.hpp"
#include "data/phases/phase_meter.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo {

struct DiskOptions {
  int depth = 32;                                                          // staging buffers, each under way to or from the disk
  std::int64_t buffer_bytes = 1 * MiB;                                     // at least 8 KiB; rounded up to whole disk blocks
  bool direct = true;                                                      // O_DIRECT, where the file system has it
  int open_files = 32;                                                     // kept open, with up to two descriptors each
  int max_waiting = 1024;                                                  // requests
  std::function<void()> missing = {};                                      // on the disk's thread, before `fill` stands for a missing file; may throw
  std::function<void()> replaced = {};                                     // the same, before another file is opened in its place
  std::function<std::unique_ptr<DiskQueue>(int entries)> make_queue = {};  // none: io_uring, or threads where that is forbidden
  std::shared_ptr<PhaseMeter> meter = {};                                  // of the process; none: its own
};

class Disk : public BlockDisk {
 public:
  explicit Disk(const DiskOptions& options = {});
  ~Disk() override;

  // `part` lies within the block and goes to tile.at as elements of type `as`. `fill`: one such element, which stands for all elements
  // of a file that does not exist; empty: a missing file is an error. Memory of the tile must stay until `done`.
  void read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) override;
  // `part` of the block gets the elements of type `from` that begin at source.at.
  void write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) override;

  // Returns when every write made before it is done and on the disk. The errors of the writes themselves went to their `done`.
  void sync() override;
  [[nodiscard]] DiskCounters counters() const override { return {bytes_read_, bytes_written_, requests_, transfers_}; }
  [[nodiscard]] Phases phases() const override;

 private:
  static constexpr unsigned moves_of_slot_bits = 6;  // a slot has up to 16 pieces with up to three moves each
  struct SlotRange {                                 // one range in a slot: the file's byte `base` lies at `memory`
    FileRange range;
    std::byte* memory;
    std::int64_t base;
    int open = 0;
  };
  struct Move {  // one transfer until it is complete; the kernel may take it in several bites
    std::size_t piece;
    Transfer transfer;
    std::int64_t needed;  // bytes; a read may end at the end of the file once it has these
    std::int64_t moved = 0;
  };
  struct Slot {
    std::shared_ptr<Request> request;
    std::vector<SlotRange> pieces;
    std::vector<Move> moves;
    int open = 0;
  };

  static std::unique_ptr<DiskQueue> make_queue(const DiskOptions& options);
  void add(Request request);
  void run();
  void begin_what_fits();
  bool open_file(Request& request);
  void fill_missing(Request& request);
  bool fill_slot(int index, const std::shared_ptr<Request>& request);
  void plan_read(Slot& slot, SlotRange& piece, bool direct);
  void plan_write(Slot& slot, SlotRange& piece);
  void add_move(Slot& slot, std::int64_t lo, std::int64_t hi, std::int64_t needed, bool direct);
  void start(int slot, std::size_t move);

  void complete(const Completion& completion);
  void begin_move(int slot, std::size_t move);
  void end_move(int slot, std::size_t move);
  // True when the move is over, false when its rest must be started.
  bool advance(Request& request, Move& move, std::int64_t result);
  void copy(Request& request, const SlotRange& piece);  // to the buffer when writing, from it when reading
  void fail(Request& request, std::exception_ptr error);
  void release(int slot);
  void finish(Request& request);
  void wait(std::vector<Completion>& completed);
  void begins(const Request& request);  // a transfer of it
  void ends(const Request& request);
  static std::size_t slot_of(const Completion& completion) { return completion.tag >> moves_of_slot_bits; }

  DiskOptions options_;
  Staging staging_;
  Files files_;
  std::unique_ptr<DiskQueue> queue_;
  RequestQueue waiting_;
  std::vector<Slot> slots_;
  std::vector<int> free_;
  std::shared_ptr<Request> current_;
  std::shared_ptr<PhaseMeter> meter_;
  int reads_ = 0, writes_ = 0;  // transfers under way
  std::atomic<bool> stopping_{false};
  std::atomic<std::int64_t> bytes_read_{0}, bytes_written_{0}, requests_{0}, transfers_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace octavo
