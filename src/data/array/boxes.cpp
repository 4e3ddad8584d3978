// SPDX-License-Identifier: Apache-2.0
// Boxes as blocks of the pool, in any order of axes.
#include "data/array/flight.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// Who turns the axes of a box: its devices, or we while we put its parts together. Measured (pages of 4 MiB complex128, three orders, files
// in memory, 2 busy cores; medians of the time by the devices over the time by us): a box within one page 1.1 for reading and 0.8 for writing,
// which is the same within the noise, and by the device we need one page of the pool, not two; 4 and 16 pages 1.5 on one device, 1.3
// on two: the parts must be copied to their places in any case, and turning them on that way costs hardly more.
bool devices_turn(std::int64_t pages) { return pages == 1; }

// Byte strides, by the array's axes, of a dense block that has them in `order`.
Shape strides_by_axis(const ArrayPage& block, const Shape& order) { return permuted(dense_byte_strides(block.shape(), size_of(block.type())), inverse(order)); }

// For the pages between the devices and a block that is in the pool already: half of what is left, so that two calls find room.
std::int64_t window_now() {
  auto& pool = job_pool();
  return std::max({pool.free_bytes() / 2, std::min(MiB, pool.bytes() / 8), std::int64_t{1}});
}

template <class T>
T attended(future<T> answer, const Array::Attend& attend) {
  while (!answer.wait_for(std::chrono::milliseconds(100)))
    if (attend) attend();
  return answer.get();
}

}  // namespace

ArrayPage Array::read(const Box& box, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  if (devices_turn(count_tiles(box, page_))) {
    auto place = places_of(box)[0];
    if (is_identity(order)) return attended(start(place.device)->read(place.page, place.part, type_), attend);
    return attended(start(place.device)->read_permuted(place.page, place.part, type_, order), attend);
  }
  ArrayPage whole = Flight(1, attend).make(type_, permuted(box.extents(), order));
  read_into(Selection::of(box), whole.mutable_data(), strides_by_axis(whole, order), type_, window_now(), attend);
  return whole;
}

void Array::write(const Box& box, const ArrayPage& block, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  if (!(block.shape() == permuted(box.extents(), order)))
    throw usage_error("a block of " + block.shape().text() + " was written to the box " + box.text() +
                      (is_identity(order) ? "" : " in the order (" + order.text() + ")"));
  if (devices_turn(count_tiles(box, page_))) {  // the device has our page: we copy nothing
    auto place = places_of(box)[0];
    if (is_identity(order)) return attended(start(place.device)->write(block, place.page, place.part), attend);
    return attended(start(place.device)->write_permuted(block, place.page, place.part, order), attend);
  }
  write_from(Selection::of(box), block.data(), strides_by_axis(block, order), block.type(), window_now(), attend);
}

}  // namespace octavo
