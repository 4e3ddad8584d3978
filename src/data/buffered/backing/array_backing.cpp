// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/backing/array_backing.hpp"

#include <algorithm>

#include "data/array/in_flight_window.hpp"
#include "data/permute.hpp"
#include "octavo/data/buffered/detail/moved.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t least_window = 256 * KiB;
constexpr std::size_t few = 8;  // parts that are read one by one: of more the whole block is

// Where the buffer has an element, and the strides there.
struct Place {
  Place(const BlockMove& of, const Shape& tile, std::int64_t size) : move(of), strides(dense_byte_strides(tile, size)) {}
  [[nodiscard]] std::byte* at(const Shape& index) const {
    Shape within = index;
    for (int i = 0; i < within.size(); ++i) within[i] -= move.block.lo[i];
    return move.data + byte_offset(within, strides);
  }
  const BlockMove& move;
  Shape strides;
};

}  // namespace

// Many small parts are under way together.
void ArrayBacking::write(const BlockMove& move, const Shape& tile) const {
  const std::int64_t size = size_of(type_);
  const Place place(move, tile, size);
  const Array::Attend nobody;
  InFlightWindow flight(std::max(move.block.count() * size, least_window), nobody);
  flight.when_stuck({});
  for (const auto& part : move.parts) {
    for_each_tile(part, array_.page(), [&](const Shape&, const Box& box) {
      const std::int64_t bytes = box.count() * size;
      flight.admit(bytes);
      ArrayPage block = flight.make(type_, box.extents());
      copy_strided(block.mutable_data(), dense_byte_strides(box.extents(), size), place.at(box.lo), place.strides, box.extents(), size);
      flight.write(bytes, array_.start_write(box, std::move(block)));
    });
  }
  flight.finish_all();
}

void ArrayBacking::read(const BlockMove& move, const Shape& tile) const {
  const std::int64_t size = size_of(type_);
  const Place place(move, tile, size);
  if (move.parts.size() <= few) {
    for (const auto& part : move.parts)
      array_.read_into(Selection::of(part), place.at(part.lo), place.strides, type_, std::max(part.count() * size, least_window));
    return;
  }
  std::vector<std::byte> whole(static_cast<std::size_t>(move.block.count() * size));
  const Shape strides = dense_byte_strides(move.block.extents(), size);
  array_.read_into(Selection::of(move.block), whole.data(), strides, type_, std::max(move.block.count() * size, least_window));
  for (const auto& part : move.parts)
    copy_strided(place.at(part.lo), place.strides, whole.data() + byte_offset(part.shifted(move.block.lo, -1).lo, strides), strides, part.extents(), size);
}

std::unique_ptr<Moving> ArrayBacking::start(const BlockMove& move, const Shape& tile) {
  return moved([&] { move.writing ? write(move, tile) : read(move, tile); });
}

}  // namespace octavo::detail
