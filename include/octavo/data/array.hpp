// SPDX-License-Identifier: Apache-2.0
// An array larger than memory: pages that devices keep, read and written by boxes.
//
//   octavo::Array a(shape, page, octavo::dtype::complex128, devices);     // circulant over the devices
//   octavo::ArrayPage block = a.read({{0, 0, 0}, {16, 512, 512}});        // any box, edges that are no multiple of the page too
//   a.write({{0, 0, 0}, {16, 512, 512}}, block);
//   for (auto& [box, tile] : a.start_read(box, a.type())) use(tile.get());  // page by page, as they come
//
// A value: small, can be sent to any process; whoever has it can read and write. Boxes may be used by several processes at once
// if those that are written do not meet others. Failure: what the devices throw; usage_error for a box outside the array.
#pragma once

#include <vector>

#include "octavo/data/page_device.hpp"
#include "octavo/data/page_map.hpp"

namespace octavo {

// A part of a box that lies in one page: where it is in the array, and the block when it is there.
struct TileFuture {
  Box box;
  future<ArrayPage> block;
};

class Array {
 public:
  Array() = default;
  Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices);

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Shape& page() const noexcept { return page_; }
  [[nodiscard]] dtype type() const noexcept { return type_; }
  [[nodiscard]] const std::vector<remote_ptr<PageDevice>>& devices() const noexcept { return devices_; }

  [[nodiscard]] std::vector<TileFuture> start_read(const Box& box, dtype as) const;
  // `box` must lie within one page, as those of start_read do. The block is given away.
  [[nodiscard]] future<void> start_write(const Box& box, ArrayPage block) const;
  void prefetch(const Box& box, dtype as) const;

  // A box as one block of the job's pool.
  [[nodiscard]] ArrayPage read(const Box& box) const;
  void write(const Box& box, const ArrayPage& block) const;
  void flush() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape_, page_, type_, devices_, map_);
  }

 private:
  struct Place {
    Box box, part;  // in the array, in the page
    remote_ptr<PageDevice> device;
    std::int64_t page;
  };
  [[nodiscard]] std::vector<Place> places_of(const Box& box) const;

  Shape shape_, page_;
  dtype type_ = dtype::float64;
  std::vector<remote_ptr<PageDevice>> devices_;
  PageMap map_;
};

}  // namespace octavo
