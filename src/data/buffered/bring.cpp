// SPDX-License-Identifier: Apache-2.0
// How a block comes into a buffer, and makes room.
#include "data/buffered/buffers.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {
constexpr int taken_away = 2;  // entries, for each block that comes: within half as many as there are buffers each is asked whether it is used
}  // namespace

int Buffers::Impl::find(std::int64_t block) { return entry(block).buffer - 1; }

std::uintptr_t Buffers::Impl::bring(Position at, bool to_write) {
  if (shares_ > 0)
    throw usage_error("[] of '" + name() + "' while " + std::to_string(shares_) + " threads have shares of it", "Use one's share, or let the shares end first");
  const int buffer = hold(at.block, to_write);
  if (notes) notes->add(to_write, grid, at.block, at.place);  // and without an entry the next element comes here too
  else map(buffer, to_write);
  return address_of(this->at(buffer));
}

void Buffers::Impl::check_writable() const {
  if (!writable) throw usage_error("'" + name() + "' was opened for reading", "Open it with mode \"r+\"");
}

int Buffers::Impl::hold(std::int64_t block, bool to_write) {
  check_owner();
  if (to_write) check_writable();
  int buffer = find(block);
  const bool fresh = buffer < 0 || at(buffer).ahead;
  if (buffer < 0) {
    buffer = enter(block);
    if (!to_write) start_read(at(buffer));
  } else {
    ++counted.found;
    replacement_.used(buffer);
  }
  at(buffer).ahead = false;
  if (fresh && !to_write) read_ahead(block);
  await_read(buffer);
  if (to_write) open_to_write(buffer);
  else fill(buffer);
  if (to_write) write_behind(block);
  rests(buffer);
  return buffer;
}

// Until it is looked for again, unless it has an entry in the table.
void Buffers::Impl::rests(int number) {
  const BlockEntry& known = entry(at(number).block);
  if (known.reading == 0 && known.writing == 0) replacement_.idles(number);
}

void Buffers::Impl::map(int number, bool to_write) {
  BlockEntry& known = entry(at(number).block);
  (to_write ? known.writing : known.reading) = address_of(at(number));
  replacement_.used(number);
}

int Buffers::Impl::enter(std::int64_t block) {
  const int number = room_for(block);
  if (number < 0)
    throw usage_error("all " + std::to_string(buffers_.size()) + " buffers of '" + name() + "' hold blocks that are in use",
                      "Let some go first, or give it more memory");
  enter(block, number);
  return number;
}

void Buffers::Impl::enter(std::int64_t block, int number) {
  memory_.map();
  Buffer& buffer = at(number);
  buffer.data = memory_.buffer(number);
  buffer.block = block;
  entry(block).buffer = number + 1;
  replacement_.enters(number);
  let_some_idle(block);
}

// A free buffer, or one whose block has left it.
int Buffers::Impl::room_for(std::int64_t block) {
  int number = room_beside(block);
  if (number < 0) {  // then also one that is still read ahead
    number = replacement_.choose(away(block), [this](int each) { return at(each).pins == 0; });
    if (number >= 0) evict(number);
  }
  return number;
}

// The same, if nothing has to be waited for but what was written there.
int Buffers::Impl::room_beside(std::int64_t block) {
  if (!free_.empty()) {
    const int number = free_.back();
    free_.pop_back();
    return number;
  }
  const int number = replacement_.choose(away(block), [this](int each) { return at(each).pins == 0 && !at(each).reading && !at(each).ahead; });
  if (number >= 0) evict(number);
  return number;
}

std::uint32_t Buffers::Impl::away(std::int64_t block) const {
  const std::uint32_t left = entry(block).left;
  return left == 0 ? Replacement::never : replacement_.now() - left;
}

void Buffers::Impl::evict(int number) {
  Buffer& buffer = at(number);
  entry(buffer.block).reading = entry(buffer.block).writing = 0;
  if (buffer.reading) await(*buffer.reading);
  if (buffer.written.begun() && !buffer.writing) start_write(buffer);
  end_write(buffer);
  BlockEntry& known = entry(buffer.block);
  forget(number);
  known.left = replacement_.leaves(number);
  ++counted.evicted;
}

void Buffers::Impl::forget(int number) {
  Buffer& buffer = at(number);
  BlockEntry& known = entry(buffer.block);
  known.reading = known.writing = 0;
  known.buffer = 0;
  buffer.reading.reset();
  buffer.written.end();
  buffer.block = -1;
  buffer.full = buffer.ahead = false;
}

void Buffers::Impl::free(int number) {
  forget(number);
  static_cast<void>(replacement_.leaves(number));
  free_.push_back(number);
}

// Where all are in use, somebody will have to go: whoever is not asked for again meanwhile.
void Buffers::Impl::let_some_idle(std::int64_t but) {
  if (!free_.empty()) return;
  for (int i = 0; i < taken_away; ++i, hand_ = (hand_ + 1) % static_cast<int>(buffers_.size())) {
    const Buffer& buffer = at(hand_);
    if (buffer.block < 0 || buffer.block == but || buffer.pins > 0) continue;
    BlockEntry& known = entry(buffer.block);
    if (known.reading == 0 && known.writing == 0) continue;
    known.reading = known.writing = 0;
    replacement_.idles(hand_);
  }
}

void Buffers::Impl::await_read(int number) {
  Buffer& buffer = at(number);
  if (!buffer.reading) return;
  try {
    end_read(buffer);
  } catch (...) {
    if (!buffer.written.begun()) free(number);  // or what was written stays there alone
    throw;
  }
}

// What was written first, without a look at the rest, is read now.
void Buffers::Impl::fill(int number) {
  Buffer& buffer = at(number);
  if (buffer.full) return;
  if (buffer.writing) end_write(buffer);
  start_read(buffer);
  await_read(number);
}

void Buffers::Impl::read_ahead(std::int64_t after) {
  const std::int64_t stride = scans_.of_this_thread().looks_for(after);
  if (stride == 0) return;
  for (int i = 1; i <= replacement_.ahead(); ++i) {
    const std::int64_t next = after + i * stride;
    if (next < 0 || next >= grid.blocks) return;
    if (find(next) >= 0) continue;
    const int number = room_beside(next);
    if (number < 0) return;
    enter(next, number);
    at(number).ahead = true;
    ++counted.read_ahead;
    start_read(at(number));
  }
}

}  // namespace octavo::detail
