// SPDX-License-Identifier: Apache-2.0
// What the disk engine does when the kernel has moved something.
#include <cerrno>

#include "data/io/disk.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

std::string doing(const Request& request, const Transfer& transfer) {
  return std::string(request.writing ? "writing " : "reading ") + format_bytes(transfer.length) + " at byte " + std::to_string(transfer.offset) + " of '" +
         request.block.file + "'";
}

io_error truncated(const Request& request) {
  const StoredBlock& block = request.block;
  std::int64_t expected = block.offset + block.bytes();
  return io_error("'" + block.file + "' is truncated: " + std::to_string(expected) + " bytes expected, " + std::to_string(request.file->bytes()) + " found",
                  "Copy or write the file again; it was perhaps interrupted");
}

}  // namespace

void Disk::complete(const Completion& completion) {
  int index = static_cast<int>(slot_of(completion));
  auto number = static_cast<std::size_t>(completion.tag & ((1u << moves_of_slot_bits) - 1));
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  Move& move = slot.moves[number];
  Request& request = *slot.request;
  ends(request);
  try {
    if (!advance(request, move, completion.result)) return start(index, number);
  } catch (...) {
    fail(request, std::current_exception());
  }
  end_move(index, number);
}

void Disk::begins(const Request& request) {
  if (++(request.writing ? writes_ : reads_) == 1) meter_->begin(request.kind());
}

void Disk::ends(const Request& request) {
  if (--(request.writing ? writes_ : reads_) == 0) meter_->end(request.kind());
}

// One that cannot even begin is over, as one that failed: others of its slot may be under way.
void Disk::begin_move(int index, std::size_t number) {
  try {
    return start(index, number);
  } catch (...) {
    fail(*slots_[static_cast<std::size_t>(index)].request, std::current_exception());
  }
  end_move(index, number);
}

void Disk::end_move(int index, std::size_t number) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  Request& request = *slot.request;
  SlotRange& piece = slot.pieces[slot.moves[number].piece];
  try {
    if (--piece.open == 0 && !request.writing && !request.error) copy(request, piece);
  } catch (...) {
    fail(request, std::current_exception());
  }
  if (--slot.open == 0) release(index);
}

bool Disk::advance(Request& request, Move& move, std::int64_t result) {
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result == -EINVAL && move.transfer.direct) {
    files_.refuse_direct(*request.file);
    return false;
  }
  if (result < 0) throw io_error_from(static_cast<int>(-result), doing(request, move.transfer));
  (request.writing ? bytes_written_ : bytes_read_) += result;
  move.moved += result;
  if (move.moved >= move.needed) return true;
  bool block_cut = move.transfer.direct && move.moved % disk_block != 0;
  if (request.writing) {
    if (result == 0) throw io_error(doing(request, move.transfer) + ": the file system took only " + format_bytes(move.moved), "See whether the disk is full");
    if (block_cut) move.transfer.direct = false;  // the rest has no alignment any more
  } else if (result == 0 || block_cut) {          // a direct read stops within a block only at the end of the file
    throw truncated(request);
  }
  return false;
}

void Disk::copy(Request& request, const SlotRange& piece) {
  const phase what = request.convert.changes() ? phase::computing : phase::caching;
  meter_->enter(what);
  meter_->moved(what, piece.range.count * size_of(request.memory_type));
  request.walk.each_row(piece.range, [&](const RangeRows& rows) {
    std::byte *buffer = piece.memory + (rows.file - piece.base), *tile = request.tile.data + rows.memory;
    if (request.writing) request.convert.rows(buffer, rows.file_stride, tile, rows.memory_stride, rows.rows, rows.elements);
    else request.convert.rows(tile, rows.memory_stride, buffer, rows.file_stride, rows.rows, rows.elements);
  });
}

// The first error is the one that is told. Nothing more of the request is begun.
void Disk::fail(Request& request, std::exception_ptr error) {
  if (!request.error) request.error = std::move(error);
  request.walk.stop();
}

void Disk::release(int index) {
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  auto request = std::move(slot.request);
  slot.pieces.clear();
  slot.moves.clear();
  free_.push_back(index);
  if (--request->open_slots == 0 && request->all_begun) finish(*request);
}

void Disk::finish(Request& request) {
  try {
    if (request.writing && request.file) files_.wrote(request.block.file);
  } catch (...) {  // sync() would not find it
    fail(request, std::current_exception());
  }
  request.file.reset();
  auto done = std::move(request.done);
  try {
    done(std::move(request.error));
  } catch (const std::exception& e) {
    log_line("a disk request's done() threw: " + std::string(e.what()));
  } catch (...) {
    log_line("a disk request's done() threw");
  }
  waiting_.finished(request);  // last: when sync() returns, every done() has run
}

}  // namespace octavo
