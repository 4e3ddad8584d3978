// SPDX-License-Identifier: Apache-2.0
// Boxes as blocks of the pool, in any order of axes.
#include "data/array_flight.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// TODO measured
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
  if (auto pages = count_tiles(box, page_); pages == 1 && devices_turn(pages)) {
    auto place = places_of(box)[0];
    if (is_identity(order)) return attended(start(place.device)->read(place.page, place.part, type_), attend);
    return attended(start(place.device)->read_permuted(place.page, place.part, type_, order), attend);
  }
  Flight none(1, attend);
  ArrayPage whole = none.make(type_, permuted(box.extents(), order));
  read_into(Selection::of(box), whole.mutable_data(), strides_by_axis(whole, order), type_, window_now(), attend);
  return whole;
}

void Array::write(const Box& box, const ArrayPage& block, const Shape& order, const Attend& attend) const {
  check(box);
  check_order(order, box.dims());
  if (!(block.shape() == permuted(box.extents(), order)))
    throw usage_error("a block of " + block.shape().text() + " was written to the box " + box.text() +
                      (is_identity(order) ? "" : " in the order (" + order.text() + ")"));
  if (count_tiles(box, page_) == 1 && is_identity(order)) {  // the device reads our page: nothing is copied
    auto place = places_of(box)[0];
    return attended(start(place.device)->write(block, place.page, place.part), attend);
  }
  write_from(Selection::of(box), block.data(), strides_by_axis(block, order), block.type(), window_now(), attend);
}

}  // namespace octavo
