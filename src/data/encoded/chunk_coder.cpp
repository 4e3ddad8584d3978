// SPDX-License-Identifier: Apache-2.0
#include "data/encoded/chunk_coder.hpp"

#include <algorithm>
#include <cstring>

namespace octavo {

namespace {

Shape in_bytes(Shape strides, dtype type) {
  for (int axis = 0; axis < strides.size(); ++axis) strides[axis] *= size_of(type);
  return strides;
}

Box box_of_chunk(const Shape& index, const Shape& chunk) {
  Box box{index, index};
  for (int axis = 0; axis < index.size(); ++axis) {
    box.lo[axis] = index[axis] * chunk[axis];
    box.hi[axis] = box.lo[axis] + chunk[axis];
  }
  return box;
}

Shape index_of_chunk(const Shape& element, const Shape& chunk) {
  Shape index = element;
  for (int axis = 0; axis < index.size(); ++axis) index[axis] /= chunk[axis];
  return index;
}

// Whether a box of such extents lies in a tile in one piece.
bool is_dense(const Shape& extents, const Shape& tile) {
  int axis = 0;
  while (axis < extents.size() && extents[axis] == 1) ++axis;
  for (++axis; axis < extents.size(); ++axis)
    if (extents[axis] != tile[axis]) return false;
  return true;
}

}  // namespace

ChunkCoder::ChunkCoder(const Storage& storage, ChunkFiles& files, std::shared_ptr<PhaseMeter> meter, std::function<void()> missing)
    : chunk_(storage.chunk),
      strides_(in_bytes(dense_strides(storage.chunk), storage.type)),
      type_(storage.type),
      codecs_(storage),
      files_(files),
      meter_(std::move(meter)),
      missing_(std::move(missing)) {}

ChunkCoder::InMemory ChunkCoder::memory_of(const EncodedRequest& request, const Box& part) const {
  const Tile& tile = request.tile;
  InMemory result{tile.data, in_bytes(dense_strides(tile.shape), request.type), is_dense(part.extents(), tile.shape)};
  for (int axis = 0; axis < part.dims(); ++axis) result.first += (tile.at[axis] + part.lo[axis] - request.part.lo[axis]) * result.strides[axis];
  return result;
}

std::byte* ChunkCoder::in_scratch(const Box& within) {
  std::byte* at = scratch_.room(codecs_.chunk_bytes()).data();
  for (int axis = 0; axis < within.dims(); ++axis) at += within.lo[axis] * strides_[axis];
  return at;
}

io_error ChunkCoder::damaged(const EncodedRequest& request, const Shape& chunk, const char* why) {
  const std::string codecs = codecs_.chain().text();
  std::string which = files_.encoding().sharded ? " (" + chunk.text() + ")" : "";
  if (request.block.encoded_bytes > 0) which = " at byte " + std::to_string(request.block.offset);
  return io_error(
      "'" + request.block.file + "' is damaged: its chunk" + which + ", encoded by " + (codecs.empty() ? "no codec" : codecs) + ", cannot be decoded: " + why,
      "Restore it, or write it again");
}

std::optional<std::span<const std::byte>> ChunkCoder::fetch(const EncodedRequest& request, std::int64_t chunk) {
  if (request.block.encoded_bytes == 0) return std::nullopt;
  const auto reading = meter_->while_open(phase::reading);
  if (request.block.encoded_bytes > 0) return files_.read_part(request.block.file, {request.block.offset, request.block.encoded_bytes}, encoded_);
  return files_.read_chunk(request.block.file, chunk, encoded_);
}

void ChunkCoder::read(const EncodedRequest& request) {
  const Shape index = index_of_chunk(request.part.lo, chunk_);
  const Box within = request.part.shifted(box_of_chunk(index, chunk_).lo, -1);
  try {
    const auto encoded = fetch(request, flatten(index, grid_of(request.block.shape, chunk_)));
    if (!encoded) return fill_in(request);
    const auto decoding = meter_->while_open(phase::computing);
    const InMemory memory = memory_of(request, request.part);
    if (within == Box::whole(chunk_) && memory.dense && !request.convert.changes())
      return codecs_.chain().decode(*encoded, {memory.first, static_cast<std::size_t>(codecs_.chunk_bytes())});
    codecs_.chain().decode(*encoded, scratch_.room(codecs_.chunk_bytes()));
    request.convert.box(memory.first, memory.strides, in_scratch(within), strides_, within.extents());
  } catch (const Damaged& e) {
    throw damaged(request, index, e.what());
  }
}

void ChunkCoder::fill_in(const EncodedRequest& request) {
  if (request.fill.empty())
    throw io_error("reading '" + request.block.file + "': there is no such " + (files_.encoding().sharded ? "chunk" : "file"),
                   "Check the path, and that the array was written completely");
  missing_();
  const InMemory memory = memory_of(request, request.part);
  const ElementForm form{request.type};
  Converter(form, form).box(memory.first, memory.strides, request.fill.data(), Shape::filled(memory.strides.size(), 0), request.part.extents());
}

void ChunkCoder::fill_scratch(const StoredBlock& block) {
  const auto bytes = scratch_.room(codecs_.chunk_bytes());
  if (std::ranges::all_of(block.fill, [](std::byte each) { return each == std::byte{}; })) {
    std::memset(bytes.data(), 0, bytes.size());
    return;
  }
  Converter({type_}, {type_, block.order}).box(bytes.data(), strides_, block.fill.data(), Shape::filled(strides_.size(), 0), chunk_);
}

ChunkCoder::Pieces ChunkCoder::pieces_of(std::span<const EncodedRequest> requests) const {
  Pieces pieces;
  for (const auto& each : requests) {
    const Shape grid = grid_of(each.block.shape, chunk_);
    auto add = [&](const Box& part) {
      for_each_tile(part, chunk_, [&](const Shape& index, const Box& meet) { pieces[flatten(index, grid)].push_back({&each, meet}); });
    };
    if (each.parts.empty()) add(each.part);
    for (const Box& part : each.parts) add(part);
  }
  return pieces;
}

void ChunkCoder::write(std::span<const EncodedRequest> requests) {
  const EncodedRequest& request = requests.front();  // all are of its file
  std::optional<ChunkFiles::Whole> old;
  if (std::ranges::none_of(requests, &EncodedRequest::is_whole)) {
    at_ = Shape::filled(chunk_.size(), 0);
    try {
      old = files_.read_whole(request.block.file, old_);
    } catch (const Damaged& e) {
      throw damaged(request, at_, e.what());
    }
    if (!old) missing_();
  }
  try {
    put_together(request.block, pieces_of(requests), old);
  } catch (const Damaged& e) {
    throw damaged(request, at_, e.what());
  }
  old_.release();
  if (files_.encoding().sharded) encoded_.release();  // of a whole shard
}

void ChunkCoder::put_together(const StoredBlock& block, const Pieces& pieces, const std::optional<ChunkFiles::Whole>& old) {
  const Encoding& encoding = files_.encoding();
  const Shape grid = grid_of(block.shape, chunk_);
  const Box used = Box::whole(block.used);
  const std::int64_t index_bytes = files_.index_bytes();
  const auto most = static_cast<std::int64_t>(codecs_.chain().most_encoded(static_cast<std::size_t>(codecs_.chunk_bytes())));
  // What is taken over from the file may be a little longer than what is made here.
  const auto file = encoded_.room(index_bytes + grid.count() * (old ? codecs_.most_encoded() : most));
  ShardIndex index(grid.count());
  std::int64_t end = encoding.sharded && encoding.at_start ? index_bytes : 0;
  for_each_index(grid, [&](const Shape& each) {
    at_ = each;
    const auto encoding_it = meter_->while_open(phase::computing);
    const Box chunk = box_of_chunk(each, chunk_), inside = chunk.intersect(used);
    if (inside.empty()) return;
    const std::int64_t number = flatten(each, grid);
    const auto before = old ? old->chunk(number) : std::nullopt;
    const auto room = file.subspan(static_cast<std::size_t>(end));
    std::int64_t length = 0;
    if (const auto written = pieces.find(number); written != pieces.end()) {
      length = static_cast<std::int64_t>(encode(written->second, chunk, before, room).size());
    } else if (before) {
      if (static_cast<std::int64_t>(before->size()) > codecs_.most_encoded()) throw Damaged("it is longer than can belong there");
      std::memcpy(room.data(), before->data(), before->size());
      length = static_cast<std::int64_t>(before->size());
    } else {
      return;
    }
    index.put(number, {end, length});
    end += length;
  });
  if (encoding.sharded) index.write_to(file.data() + (encoding.at_start ? 0 : end), encoding.checked);
  if (encoding.sharded && !encoding.at_start) end += index_bytes;
  const auto writing = meter_->while_open(phase::writing);
  files_.replace(block.file, file.first(static_cast<std::size_t>(end)), block.fixed);
}

// `chunk` in its file; `old`: the chunk as it is there.
std::span<const std::byte> ChunkCoder::encode(const std::vector<Piece>& pieces, const Box& chunk, const std::optional<std::span<const std::byte>>& old,
                                              std::span<std::byte> room) {
  const StoredBlock& block = pieces.front().of->block;
  const Box inside = chunk.intersect(Box::whole(block.used));
  if (const Piece& only = pieces.front(); pieces.size() == 1 && only.part == chunk) {
    const InMemory memory = memory_of(*only.of, chunk);
    if (memory.dense && !only.of->convert.changes()) return codecs_.chain().encode({memory.first, static_cast<std::size_t>(codecs_.chunk_bytes())}, room);
  }
  const auto scratch = scratch_.room(codecs_.chunk_bytes());
  const bool all = std::ranges::any_of(pieces, [&](const Piece& each) { return each.part == inside; });
  if (!all && old) codecs_.chain().decode(*old, scratch);
  else if (!all || inside != chunk) fill_scratch(block);
  for (const auto& [request, part] : pieces) {
    const InMemory memory = memory_of(*request, part);
    const Box within = part.shifted(chunk.lo, -1);
    request->convert.box(in_scratch(within), strides_, memory.first, memory.strides, within.extents());
  }
  return codecs_.chain().encode(scratch, room);
}

}  // namespace octavo
