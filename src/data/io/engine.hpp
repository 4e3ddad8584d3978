// SPDX-License-Identifier: Apache-2.0
// The thread behind a Disk. It cuts requests into segments, moves them through the staging buffers, and sleeps in the queue.
//
// A slot is one staging buffer at work for one request. Short segments share a slot, so that many small transfers are under way at once.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include "data/io/request.hpp"
#include "data/io/staging.hpp"
#include "process/inquiry/stillness.hpp"

namespace octavo {

inline constexpr unsigned moves_of_slot_bits = 6;  // a slot has up to 16 pieces with up to three moves each

class DiskEngine {
 public:
  explicit DiskEngine(const DiskOptions& options);
  ~DiskEngine();

  void add(const std::shared_ptr<Request>& request);
  void sync();
  void abandon();
  [[nodiscard]] DiskCounters counters() const;

 private:
  struct Piece {  // one segment in a slot: the file's byte `base` lies at `memory`
    Segment segment;
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
    std::vector<Piece> pieces;
    std::vector<Move> moves;
    int open = 0;
  };

  void run();
  void begin_what_fits();
  void drop_abandoned();
  bool open_file(Request& request);
  void fill_missing(Request& request);
  bool fill_slot(int index, const std::shared_ptr<Request>& request);
  void plan_read(Slot& slot, Piece& piece, bool direct);
  void plan_write(Slot& slot, Piece& piece);
  void add_move(Slot& slot, std::int64_t lo, std::int64_t hi, std::int64_t needed, bool direct);
  void start(int slot, std::size_t move);

  void complete(const Completion& completion);
  void begin_move(int slot, std::size_t move);
  void end_move(int slot, std::size_t move);
  // True when the move is over, false when its rest must be started.
  bool advance(Request& request, Move& move, std::int64_t result);
  void copy_in(Request& request, const Piece& piece) const;
  void copy_out(Request& request, const Piece& piece) const;
  void fail(Request& request, std::exception_ptr error);
  void release(int slot);
  void finish(Request& request);

  DiskOptions options_;
  Staging staging_;
  Files files_;
  std::unique_ptr<Queue> queue_;
  RequestQueue waiting_;
  std::vector<Slot> slots_;
  std::vector<int> free_;
  std::shared_ptr<Request> current_;
  std::atomic<bool> stopping_{false}, abandoned_{false};
  detail::OutsideWork outside_;
  std::atomic<std::int64_t> bytes_read_{0}, bytes_written_{0}, requests_{0}, transfers_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace octavo
