// SPDX-License-Identifier: Apache-2.0
#include "data/io/disk.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

void check_move(const StoredBlock& block, const Box& part, const ConstTile& tile) {
  int dims = block.shape.size();
  Box target{tile.at, tile.at};
  if (part.dims() != dims || part.hi.size() != dims || tile.shape.size() != dims || tile.at.size() != dims)
    throw usage_error("the part " + part.text() + " and the tile " + tile.shape.text() + " do not have the " + std::to_string(dims) +
                      " dimensions of the block of '" + block.file + "'");
  for (int axis = 0; axis < dims; ++axis) target.hi[axis] = tile.at[axis] + (part.hi[axis] - part.lo[axis]);
  if (!part.empty() && !Box::whole(block.shape).contains(part))
    throw usage_error("the part " + part.text() + " is not within the block " + block.shape.text() + " of '" + block.file + "'");
  if (!part.empty() && !Box::whole(tile.shape).contains(target))
    throw usage_error("a part of " + part.extents().text() + " at " + tile.at.text() + " does not fit the tile " + tile.shape.text());
  if (block.offset < 0) throw usage_error("a block of '" + block.file + "' at byte " + std::to_string(block.offset));
}

void check_fill(std::span<const std::byte> fill, dtype as) {
  if (!fill.empty() && static_cast<std::int64_t>(fill.size()) != size_of(as))
    throw usage_error("a fill element of " + std::to_string(fill.size()) + " bytes for " + std::string(name_of(as)), "Give one element of that type");
}

void Disk::read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) {
  check_move(from, part, to);
  check_fill(fill, as);
  add({false,
       from,
       part,
       as,
       to,
       {fill.begin(), fill.end()},
       std::move(done),
       Converter({from.type, from.order}, {as}),
       PartWalk(from, part, to.shape, to.at, as)});
}

void Disk::write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) {
  check_move(to, part, source);
  Tile tile{const_cast<std::byte*>(source.data), source.shape, source.at};  // one request type for both ways; a write only reads it
  add({true, to, part, from, tile, {}, std::move(done), Converter({from}, {to.type, to.order}), PartWalk(to, part, source.shape, source.at, from)});
}

void Disk::add(Request request) {
  ++requests_;
  waiting_.push(std::make_shared<Request>(std::move(request)));
}

void Disk::sync() {
  waiting_.wait_for_writes();
  const auto writes = meter_->while_open(phase::writing);
  files_.sync();
}

Phases Disk::phases() const {
  Phases sums = meter_->sums();
  sums.reading.bytes = bytes_read_;
  sums.writing.bytes = bytes_written_;
  return sums;
}

}  // namespace octavo
