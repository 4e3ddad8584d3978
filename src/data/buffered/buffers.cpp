// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/buffers.hpp"

#include "data/buffered/memory_shares.hpp"
#include "data/buffered/share.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

void refuse_moved_from() { throw usage_error("a buffered array, or a share of one, is used that was moved from", "Use the one that it was moved to"); }

namespace {
BlockSource& there(BlockSource* source) {
  if (source == nullptr) refuse_moved_from();
  return *source;
}
}  // namespace

std::uintptr_t BlockTable::bring_to_read(BlockSource* source, Position at) { return there(source).bring(at, false); }
std::uintptr_t BlockTable::bring_to_write(BlockSource* source, Position at) { return there(source).bring(at, true); }

Buffers::Impl::Impl(std::unique_ptr<Backing> behind, BlockGrid cut, std::int64_t count, std::int64_t threads, dtype element, bool may_write)
    : BlockMoves(std::move(behind), std::move(cut), element),
      writable(may_write),
      memory_(static_cast<int>(count), round_up(grid.elements * size_of(element), 64)),
      buffers_(static_cast<std::size_t>(count)),
      replacement_(static_cast<int>(count)),
      threads_(threads) {
  for (int i = static_cast<int>(count) - 1; i >= 0; --i) free_.push_back(i);
  counted.buffers = count;
  counted.block_bytes = grid.elements * size_of(element);
}

Buffers::Impl::~Impl() {
  for (int number = 0; number < static_cast<int>(buffers_.size()); ++number)
    if (at(number).block >= 0) forget(number);
}

Buffers::Buffers(std::unique_ptr<Backing> backing, const Shape& shape, const Shape& chunk, bool cut, dtype type, const BufferedOptions& options) {
  const MemoryShares shares = shares_of(options, size_of(type));
  const BlockGrid grid(shape, options.block.size() > 0 ? options.block : block_for({shape, chunk, size_of(type), shares.most_block, cut}));
  const std::int64_t count = buffers_within(shares, options, grid, size_of(type), backing->name());
  impl_ = std::make_unique<Impl>(std::move(backing), grid, count, options.threads, type, options.mode != "r");
  if (options.debug) impl_->notes = std::make_unique<AccessNotes>();
  entries_ = impl_->entries;
}

Buffers::~Buffers() {
  const std::int64_t dirty = impl_ && impl_->is_owner() ? impl_->dirty_elements() : 0;
  const std::string name = impl_ ? impl_->name() : std::string();
  try {
    close();
  } catch (const std::exception& error) {
    log_line("of " + std::to_string(dirty) + " elements of '" + name + "' that were not written back some are lost: " + error.what());
  }
}

// Gone at once where nothing can be written any more.
void Buffers::close() {
  if (impl_ && impl_->is_owner() && impl_->shares() > 0)
    throw usage_error("closing '" + impl_->name() + "', of which " + std::to_string(impl_->shares()) + " threads have shares", "Let them end first");
  auto ending = std::move(impl_);
  if (!ending) return;
  if (!ending->is_owner()) {  // its threads are not here, and what it has is the parent's to write
    static_cast<void>(ending.release());
    return;
  }
  ending->look = {};
  if (ending->writable) ending->writeback();
}

Buffers::Impl& Buffers::impl() const {
  if (!impl_) throw usage_error("a buffered array is used that was closed", "Open it again");
  return *impl_;
}

template <class Work>
auto Buffers::in_turn(Work&& work) const {
  Impl& here = impl();
  const auto turn = here.turn();
  return work(here);
}

const Shape& Buffers::shape() const { return impl().grid.shape; }
const Shape& Buffers::block() const { return impl().grid.block; }
bool Buffers::writable() const { return impl().writable; }
dtype Buffers::type() const { return impl().type; }
BlockTable Buffers::table() { return {entries_.get(), this, impl().grid.axes()}; }
BufferedCounters Buffers::counters() const {
  return in_turn([](Impl& here) { return here.counted; });
}
void Buffers::attend(Look look) { impl().look = std::move(look); }
std::uintptr_t Buffers::bring(Position at, bool to_write) {
  return in_turn([&](Impl& here) { return here.bring(at, to_write); });
}
std::unique_ptr<BlockSource> Buffers::share() { return std::make_unique<Share>(impl()); }
PinnedPart Buffers::pin(std::int64_t block, const Box& part, block_access access) {
  return in_turn([&](Impl& here) { return here.pin(block, part, access); });
}
void Buffers::unpin(const PinnedPart& pinned) noexcept {
  if (impl_) in_turn([&](Impl& here) { here.unpin(pinned); });
}
void Buffers::read(const Selection& selection, std::byte* to, const Shape& byte_strides, dtype as) {
  in_turn([&](Impl& here) { here.read(selection, to, byte_strides, as); });
}
void Buffers::write(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type) {
  in_turn([&](Impl& here) { here.write(selection, from, byte_strides, from_type); });
}
void Buffers::gather(std::span<const std::int64_t> indices, std::int64_t count, std::byte* to) {
  in_turn([&](Impl& here) { here.points(indices, count, to, false); });
}
void Buffers::scatter(std::span<const std::int64_t> indices, std::int64_t count, const std::byte* from) {
  // One loop for both ways; a write only reads it.
  in_turn([&](Impl& here) { here.points(indices, count, const_cast<std::byte*>(from), true); });
}
void Buffers::writeback() {
  in_turn([](Impl& here) { here.writeback(); });
}
void Buffers::invalidate(bool discard) {
  in_turn([&](Impl& here) { here.invalidate(discard); });
}
std::int64_t Buffers::dirty_elements() const {
  return in_turn([](Impl& here) { return here.dirty_elements(); });
}
std::vector<std::int64_t> Buffers::take_notes() {
  return in_turn([](Impl& here) { return here.notes ? here.notes->take() : std::vector<std::int64_t>(); });
}
void Buffers::check_notes(const std::vector<std::vector<std::int64_t>>& of_all) const { check_accesses(of_all, shape(), impl().name()); }
void Buffers::flush() {
  in_turn([](Impl& here) {
    here.writeback();
    here.backing->flush();
  });
}

}  // namespace octavo::detail

namespace octavo {

std::string BufferedCounters::text() const {
  auto line = [](const std::string& name, const std::string& value) { return name + ": " + value + "\n"; };
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return line("buffers", number(buffers) + " of " + format_bytes(block_bytes)) + line("found", number(found) + " blocks") +
         line("read", number(read) + " blocks, " + format_bytes(bytes_read) + "; " + number(read_ahead) + " ahead, " + number(read_again) + " again") +
         line("evicted", number(evicted) + " blocks") + line("written", format_bytes(bytes_written)) + line("waited", std::to_string(waited) + " s");
}

}  // namespace octavo
