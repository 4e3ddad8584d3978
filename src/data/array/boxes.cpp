// SPDX-License-Identifier: Apache-2.0
// Boxes as blocks of the pool, in any order of axes.
#include <cstring>

#include "data/array/attended.hpp"
#include "data/array/in_flight_window.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// Whether the devices turn the axes of a box, or this process does while it puts the parts together. Measured (pages of 4 MiB complex128, three orders, files
// in memory, 2 busy cores; medians of the time by the devices over the time here): a box within one page 1.1 for reading and 0.8 for writing,
// which is the same within the noise, and by the device the call needs one page of the pool, not two; 4 and 16 pages 1.5 on one device, 1.3
// on two: the parts must be copied to their places in any case, and turning them on that way costs hardly more.
bool devices_turn(std::int64_t pages) { return pages == 1; }

// Byte strides, by the array's axes, of a dense block that has them in `order`.
Shape strides_by_axis(const ArrayPage& block, const Shape& order) { return permuted(dense_byte_strides(block.shape(), size_of(block.type())), inverse(order)); }

// What the pages between the devices and a block need at least.
std::int64_t least_window() { return std::max<std::int64_t>(std::min(MiB, job_pool().bytes() / 8), 1); }
// For the pages between the devices and a block that is in the pool already: half of what is left, so that two calls find room.
std::int64_t window_now() { return std::max(job_pool().free_bytes() / 2, least_window()); }

// The block that a box is read to. In the pool, unless it leaves no room there for the pages that bring it; where no room comes for a while, of this
// process's own memory: the caller may itself hold, in the result of an earlier call, the room that this call waits for.
ArrayPage make_block(dtype type, const Shape& shape, const Array::Attend& attend) {
  const std::int64_t bytes = shape.count() * size_of(type), most = job_pool().bytes();
  if (bytes <= most && bytes > most - least_window()) return ArrayPage::make_private(type, shape);
  InFlightWindow alone(1, attend);
  alone.when_stuck({});
  return alone.make(type, shape);
}

}  // namespace

ArrayPage Array::read(const Box& box, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  if (devices_turn(count_tiles(box, page_))) {
    auto place = locations_of(box)[0];
    if (is_identity(order)) return attended(start(place.device)->read(place.page, place.part, type_), attend);
    return attended(start(place.device)->read_permuted(place.page, place.part, type_, order), attend);
  }
  ArrayPage whole = make_block(type_, permuted(box.extents(), order), attend);
  Target to{whole.mutable_data(), {}};
  // Several calls like this one may have filled the pool with their blocks, so that no call finds room for the pages it waits for. A call to which
  // nothing comes moves its block out of the pool, and so the other calls get on, too.
  to.when_stuck = [&] {
    ArrayPage moved = ArrayPage::make_private(type_, whole.shape());
    std::memcpy(moved.mutable_data(), whole.data(), static_cast<std::size_t>(whole.bytes()));
    whole = std::move(moved);
    to.data = whole.mutable_data();
  };
  read_into(Selection::of(box), to, strides_by_axis(whole, order), type_, window_now(), attend);
  return whole;
}

namespace {
void check_fits(const ArrayPage& block, const Box& box, const Shape& order) {
  if (!(block.shape() == permuted(box.extents(), order)))
    throw usage_error("a block of " + block.shape().text() + " was written to the box " + box.text() +
                      (is_identity(order) ? "" : " in the order (" + order.text() + ")"));
}
}  // namespace

void Array::write(const Box& box, const ArrayPage& block, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  check_fits(block, box, order);
  if (devices_turn(count_tiles(box, page_))) {  // the device gets the block's own page: nothing is copied
    auto place = locations_of(box)[0];
    if (is_identity(order)) return attended(start(place.device)->write(block, place.page, place.part), attend);
    return attended(start(place.device)->write_permuted(block, place.page, place.part, order), attend);
  }
  write_from(Selection::of(box), block.data(), strides_by_axis(block, order), block.type(), window_now(), attend, true);
}

// The pages are made here, so that what the caller does with its block later changes nothing.
void Array::write_behind(const Box& box, const ArrayPage& block, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  check_fits(block, box, order);
  InFlightWindow flight(window_now(), attend);
  flight.when_stuck({});
  const std::int64_t size = size_of(block.type());
  const Shape strides = strides_by_axis(block, order);
  for (const auto& place : locations_of(box)) {
    const Shape extents = place.box.extents();
    const std::int64_t bytes = extents.count() * size;
    flight.admit(bytes);
    ArrayPage part = flight.make(block.type(), extents);
    const auto* from = block.data() + byte_offset(place.box.shifted(box.lo, -1).lo, strides);
    copy_strided(part.mutable_data(), dense_byte_strides(extents, size), from, strides, extents, size);
    flight.write(bytes, start(place.device)->write_behind(std::move(part), place.page, place.part));
  }
  flight.finish_all();
}

namespace {
Shape dense_strides_of(const Selection& selection, dtype type) { return dense_byte_strides(selection.count, size_of(type)); }
}  // namespace

void Array::read_dense(const Selection& selection, void* to, dtype as) const {
  read_into(selection, static_cast<std::byte*>(to), dense_strides_of(selection, as), as, window_now());
}

void Array::write_dense(const Selection& selection, const void* from, std::size_t count, dtype type) const {
  if (static_cast<std::int64_t>(count) != selection.count.count())
    throw usage_error(std::to_string(count) + " values for " + selection.text() + ", which are " + std::to_string(selection.count.count()),
                      "Give as many as are selected");
  write_from(selection, static_cast<const std::byte*>(from), dense_strides_of(selection, type), type, window_now());
}

}  // namespace octavo
