// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <future>

#include "base/start_thread.hpp"
#include "data/io/disk.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

constexpr std::int64_t small_range = 256 * KiB;  // shorter ones share a slot
constexpr std::size_t ranges_of_slot = 16;
constexpr std::int64_t direct_write = 64 * KiB;  // shorter runs are written through the page cache, which merges them
constexpr std::int64_t max_gap = 64 * KiB;       // runs of a read not further apart are read together with what lies between

DiskOptions checked(DiskOptions options) {
  if (options.depth < 1 || options.depth > 1024) throw usage_error("disk depth " + std::to_string(options.depth), "Choose 1 to 1024");
  if (options.buffer_bytes < 2 * disk_block || options.buffer_bytes > GiB)
    throw usage_error("disk buffers of " + format_bytes(options.buffer_bytes), "Choose 8 KiB to 1 GiB");
  if (options.max_waiting < 1 || options.open_files < 1) throw usage_error("a disk needs room for a request and a file", "Choose at least 1");
  options.buffer_bytes = round_up(options.buffer_bytes, disk_block);
  return options;
}

// What a file that this write makes holds beside its part, as the file has it; empty: zeros, or nothing.
std::vector<std::byte> fill_beside(const Request& request) {
  const StoredBlock& block = request.block;
  bool zeros = std::all_of(block.fill.begin(), block.fill.end(), [](std::byte each) { return each == std::byte{}; });
  if (zeros || request.part == Box::whole(block.shape)) return {};
  std::vector<std::byte> element(block.fill.size());
  Converter({block.type}, {block.type, block.order}).rows(element.data(), 0, block.fill.data(), 0, 1, 1);
  return element;
}

void check_length(const Request& request) {
  if (std::int64_t found = request.file->bytes(); found > request.block.file_bytes)
    throw io_error(
        "'" + request.block.file + "' is damaged: its chunk has " + std::to_string(request.block.file_bytes) + " bytes, the file " + std::to_string(found),
        "Restore it; or remove it, and write the chunk again");
}

}  // namespace

std::unique_ptr<DiskQueue> Disk::make_queue(const DiskOptions& options) {
  int entries = std::min(4096, options.depth << moves_of_slot_bits);
  if (options.make_queue) return options.make_queue(entries);
  if (auto queue = make_uring_queue(entries)) return queue;
  log_once("this system has or allows no io_uring: disks are read and written by threads");
  return make_thread_queue(options.depth);
}

Disk::Disk(const DiskOptions& options)
    : options_(checked(options)),
      staging_(options_.depth, options_.buffer_bytes),
      files_(options_.open_files, options_.direct, options_.replaced),
      queue_(make_queue(options_)),
      waiting_(options_.max_waiting, [this] { queue_->wake(); }),
      slots_(static_cast<std::size_t>(options_.depth)),
      meter_(options_.meter ? options_.meter : std::make_shared<PhaseMeter>()) {
  for (int i = options_.depth - 1; i >= 0; --i) free_.push_back(i);
  std::promise<void> known;  // has a value once waiting_ knows the thread's id: only then does the thread run
  thread_ = start_thread("for a disk", [this, begin = known.get_future()]() mutable {
    begin.get();
    run();
  });
  ::pthread_setname_np(thread_.native_handle(), "octavo-disk");
  waiting_.serve_on(thread_.get_id());
  known.set_value();
}

Disk::~Disk() {
  stopping_ = true;
  queue_->wake();
  thread_.join();
}

void Disk::run() {
  std::vector<Completion> completed;
  while (true) {
    begin_what_fits();
    bool idle = !current_ && free_.size() == slots_.size();
    if (idle && stopping_) return;  // begin_what_fits() has just found nothing waiting
    wait(completed);
    for (const auto& completion : completed) {
      complete(completion);
      // Completions come in bursts: the freed buffer goes to work before the next one is copied, or the disk would stand still.
      begin_what_fits();
      queue_->flush();
    }
  }
}

void Disk::wait(std::vector<Completion>& completed) {
  completed.clear();
  meter_->enter(phase::idle);
  queue_->wait(completed);
  if (!completed.empty()) meter_->waited_for(slots_[slot_of(completed.front())].request->kind());
}

void Disk::begin_what_fits() {
  while (!free_.empty()) {
    if (!current_) {
      current_ = waiting_.take();
      if (!current_) return;
      meter_->enter(current_->kind());
      try {
        if (!open_file(*current_)) fill_missing(*current_);
      } catch (...) {
        fail(*current_, std::current_exception());
      }
    }
    int index = free_.back();
    bool more = false;
    try {
      more = fill_slot(index, current_);
    } catch (...) {  // thrown before the first move began
      slots_[static_cast<std::size_t>(index)] = {};
      fail(*current_, std::current_exception());
    }
    if (more) continue;
    auto over = std::move(current_);
    over->all_begun = true;
    if (over->open_slots == 0) finish(*over);
  }
}

bool Disk::open_file(Request& request) {
  const std::string& path = request.block.file;
  if (request.part.empty()) return true;
  request.file = request.writing ? files_.for_writing(path, request.block.file_bytes, fill_beside(request), request.block.fixed) : files_.for_reading(path);
  if (request.file && request.block.is_file) check_length(request);
  if (!request.file && !request.fill.empty() && options_.missing) options_.missing();
  if (request.file || !request.fill.empty()) return request.file != nullptr;
  throw io_error("reading '" + path + "': there is no such file", "Check the path, and that the array was written completely");
}

void Disk::fill_missing(Request& request) {
  Shape extents = request.part.extents(), strides = dense_strides(request.tile.shape);
  std::byte* first = request.tile.data;
  for (int axis = 0; axis < strides.size(); ++axis) {
    strides[axis] *= size_of(request.memory_type);
    first += request.tile.at[axis] * strides[axis];
  }
  ElementForm form{request.memory_type};
  Converter(form, form).box(first, strides, request.fill.data(), Shape::filled(strides.size(), 0), extents);
  request.walk.stop();
}

// False when the request has nothing left to begin.
bool Disk::fill_slot(int index, const std::shared_ptr<Request>& request) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  std::int64_t used = 0;
  while (slot.pieces.size() < ranges_of_slot) {
    std::int64_t left = options_.buffer_bytes - used;
    if (used > 0 && left < small_range + 2 * disk_block) break;
    auto range = request->walk.next(used == 0 ? left : small_range, request->writing ? 0 : max_gap);
    if (!range) break;
    staging_.map();
    SlotRange& piece = slot.pieces.emplace_back(SlotRange{*range, staging_.buffer(index) + used, round_down(range->lo, disk_block)});
    if (request->writing) plan_write(slot, piece);
    else plan_read(slot, piece, request->walk.run_bytes() >= disk_block);
    std::int64_t length = round_up(range->hi, disk_block) - piece.base;
    used += length;
    if (length >= small_range) break;
  }
  if (slot.pieces.empty()) return false;
  for (const auto& move : slot.moves) request->file->descriptor(move.transfer.direct);  // opening may fail: now, while nothing is under way
  if (request->writing)
    for (const auto& piece : slot.pieces) copy(*request, piece);
  free_.pop_back();
  slot.request = request;
  ++request->open_slots;
  slot.open = static_cast<int>(slot.moves.size());
  for (std::size_t i = 0; i < slot.moves.size(); ++i) begin_move(index, i);
  return true;
}

// Runs shorter than a disk block share their blocks with the next parts to be read, and with those to be written: these go through the
// page cache, where a write finds the block that it changes a part of.
void Disk::plan_read(Slot& slot, SlotRange& piece, bool direct) {
  // The last block may stand over the end of the file; what is needed must be there.
  add_move(slot, piece.base, round_up(piece.range.hi, disk_block), piece.range.hi - piece.base, direct);
}

void Disk::plan_write(Slot& slot, SlotRange& piece) {
  std::int64_t lo = piece.range.lo, hi = piece.range.hi;
  std::int64_t inner_lo = round_up(lo, disk_block), inner_hi = round_down(hi, disk_block);
  if (hi - lo < direct_write || inner_hi - inner_lo < disk_block) return add_move(slot, lo, hi, hi - lo, false);
  if (lo < inner_lo) add_move(slot, lo, inner_lo, inner_lo - lo, false);
  add_move(slot, inner_lo, inner_hi, inner_hi - inner_lo, true);
  if (inner_hi < hi) add_move(slot, inner_hi, hi, hi - inner_hi, false);
}

void Disk::add_move(Slot& slot, std::int64_t lo, std::int64_t hi, std::int64_t needed, bool direct) {
  SlotRange& piece = slot.pieces.back();
  ++piece.open;
  Transfer transfer{.direct = direct, .memory = piece.memory + (lo - piece.base), .length = hi - lo, .offset = lo};
  slot.moves.push_back({slot.pieces.size() - 1, transfer, needed});
}

void Disk::start(int index, std::size_t number) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  Move& move = slot.moves[number];
  Request& request = *slot.request;
  Transfer rest = move.transfer;
  rest.tag = static_cast<std::uint64_t>(index) << moves_of_slot_bits | number;
  rest.writing = request.writing;
  rest.memory += move.moved;
  rest.offset += move.moved;
  rest.length -= move.moved;
  rest.direct = rest.direct && request.file->direct;
  rest.file = request.file->descriptor(rest.direct);
  move.transfer.direct = rest.direct;
  ++transfers_;
  meter_->enter(request.kind());
  queue_->submit(rest);
  begins(request);
}

}  // namespace octavo
