// SPDX-License-Identifier: Apache-2.0
#include "data/io/disk.hpp"

#include "data/io/engine.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

void check(const StoredBlock& block, const Box& part, const ConstTile& tile) {
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

}  // namespace

Disk::Disk(const DiskOptions& options) : engine_(std::make_unique<DiskEngine>(options)) {}
Disk::~Disk() = default;

void Disk::read(const StoredBlock& from, const Box& part, dtype as, const Tile& to, std::span<const std::byte> fill, Done done) {
  check(from, part, to);
  if (!fill.empty() && static_cast<std::int64_t>(fill.size()) != size_of(as))
    throw usage_error("a fill element of " + std::to_string(fill.size()) + " bytes for " + std::string(name_of(as)), "Give one element of that type");
  engine_->add(std::make_shared<Request>(Request{.writing = false,
                                                 .block = from,
                                                 .part = part,
                                                 .memory_type = as,
                                                 .tile = to,
                                                 .fill = {fill.begin(), fill.end()},
                                                 .done = std::move(done),
                                                 .convert = Converter({from.type, from.order}, {as}),
                                                 .walk = PartWalk(from, part, to.shape, to.at, as)}));
}

void Disk::write(const StoredBlock& to, const Box& part, dtype from, const ConstTile& source, Done done) {
  check(to, part, source);
  Tile tile{const_cast<std::byte*>(source.data), source.shape, source.at};  // one request type for both ways; a write only reads it
  engine_->add(std::make_shared<Request>(Request{.writing = true,
                                                 .block = to,
                                                 .part = part,
                                                 .memory_type = from,
                                                 .tile = tile,
                                                 .fill = {},
                                                 .done = std::move(done),
                                                 .convert = Converter({from}, {to.type, to.order}),
                                                 .walk = PartWalk(to, part, source.shape, source.at, from)}));
}

void Disk::sync() { engine_->sync(); }
void Disk::abandon() { engine_->abandon(); }
DiskCounters Disk::counters() const { return engine_->counters(); }

}  // namespace octavo
