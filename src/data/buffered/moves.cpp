// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/moves.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

namespace {
constexpr int too_often = 4;
}  // namespace

std::shared_ptr<BlockEntry> new_entries(std::int64_t blocks) {
  const std::shared_ptr<BlockEntry> made(static_cast<BlockEntry*>(std::calloc(static_cast<std::size_t>(std::max<std::int64_t>(blocks, 1)), sizeof(BlockEntry))),
                                         &std::free);
  if (!made) throw std::bad_alloc();
  return made;
}

BlockMoves::BlockMoves(std::unique_ptr<Backing> behind, BlockGrid cut, dtype element)
    : backing(std::move(behind)), grid(std::move(cut)), type(element), entries(new_entries(grid.blocks)), owner_(::getpid()) {}

void BlockMoves::await(Moving& moving) {
  if (!moving.over()) {
    const auto begun = std::chrono::steady_clock::now();
    try {
      moving.wait();
    } catch (...) {  // the thread that needs it waits again, and hears
    }
    counted.waited += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  }
}

void BlockMoves::start_read(Buffer& buffer) {
  const Box box = grid.box_of(buffer.block);
  const auto parts = buffer.written.begun() ? buffer.written.unwritten_parts(grid) : std::vector<Box>{box};
  ++counted.read;
  if (entry(buffer.block).left != 0) {
    ++counted.read_again;
    say_if_read_too_often();
  }
  for (const auto& part : parts) counted.bytes_read += part.count() * size_of(type);
  buffer.reading = backing->start({false, box, parts, buffer.data}, grid.block);
}

void BlockMoves::say_if_read_too_often() const {
  if (counted.read_again == too_often * grid.blocks)
    log_line("the blocks of '" + name() + "' were read again " + std::to_string(too_often) + " times each, in the mean: " + std::to_string(counted.buffers) +
             " buffers hold blocks of " + grid.block.text() + " elements. Go along the blocks, or give it more memory or blocks of another shape");
}

void BlockMoves::end_read(Buffer& buffer) {
  const auto reading = std::move(buffer.reading);
  await(*reading);
  in_context([&] { return "reading " + grid.box_of(buffer.block).text() + " of '" + name() + "'"; }, [&] { reading->wait(); });
  buffer.full = true;
}

void BlockMoves::start_write(Buffer& buffer) {
  entry(buffer.block).writing = 0;
  const auto parts = buffer.written.parts(grid);
  if (parts.empty()) return buffer.written.end();
  buffer.leaving = 0;
  for (const auto& part : parts) buffer.leaving += part.count() * size_of(type);
  if (const Box box = grid.box_of(buffer.block); is_most_of(buffer, box) && parts.front() != box) backing->expect_write(box);
  buffer.writing = backing->start({true, grid.box_of(buffer.block), parts, buffer.data}, grid.block);
}

bool BlockMoves::is_most_of(const Buffer& leaving, const Box& box) const { return 2 * leaving.leaving > box.count() * size_of(type); }

void BlockMoves::end_write(Buffer& buffer) {
  if (!buffer.writing) return;
  const auto writing = std::move(buffer.writing);
  await(*writing);
  in_context([&] { return "writing " + grid.box_of(buffer.block).text() + " of '" + name() + "'"; }, [&] { writing->wait(); });
  counted.bytes_written += buffer.leaving;
  if (buffer.written.all(grid)) buffer.full = true;
  if (buffer.changing == 0) buffer.written.end();
}

void BlockMoves::note(Buffer& buffer, const std::function<void(WrittenElements&)>& add) noexcept {
  try {
    end_write(buffer);
  } catch (const std::exception&) {  // the next write-back meets it again: what was written is still to be written
  }
  if (!buffer.written.begun()) entry(buffer.block).written = buffer.written.begin(grid, buffer.block);
  add(buffer.written);
}

std::uintptr_t BlockMoves::address_of(const Buffer& buffer) const {
  return reinterpret_cast<std::uintptr_t>(buffer.data) - static_cast<std::uintptr_t>(grid.place_of(buffer.block) * size_of(type));
}

void BlockMoves::check_owner() const {
  if (!is_owner())
    throw usage_error("'" + name() + "' was opened by process " + std::to_string(owner_) + ", which forked this one", "Open it again in this process");
}

bool BlockMoves::is_owner() const { return ::getpid() == owner_; }

}  // namespace octavo::detail
