// SPDX-License-Identifier: Apache-2.0
// An array larger than memory: pages that devices keep, read and written by boxes.
//
//   octavo::Array a(shape, page, octavo::dtype::complex128, devices);     // circulant over the devices
//   octavo::ArrayPage block = a.read({{0, 0, 0}, {16, 512, 512}});        // any box, edges that are no multiple of the page too
//   octavo::ArrayPage turned = a.read(box, {2, 1, 0});                    // its axes as numpy.transpose would put them
//   std::vector<double> some = a.read<double>(a.select({{0, 16, 2}, 5}));  // a[0:16:2, 5], converted
//   a.write(a.select({{0, 16, 2}, 5}), some);
//   for (auto& [box, tile] : a.start_read(box, a.type())) use(tile.get());  // page by page, as they come
//
// A value: small, can be sent to any process; every process that has it can read and write. Boxes may be used by several processes at once if those
// that are written do not meet others. Failure: what the devices throw; usage_error for a box outside the array; not_supported, before
// anything is moved, for a conversion that D-2 does not know.
#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <type_traits>
#include <vector>

#include "octavo/data/page_device.hpp"
#include "octavo/data/page_map.hpp"
#include "octavo/data/selection.hpp"

namespace octavo {

// A part of a box that lies in one page: where it is in the array, and the block when it is there.
struct TileFuture {
  Box box;
  future<ArrayPage> block;
};

class Array {
 public:
  // Called about every 100 ms while a call waits. What it throws leaves the call; what was in flight is then dropped: pages that come are
  // freed, writes that were sent may or may not be done.
  using Attend = std::function<void()>;

  Array() = default;
  Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices);
  Array(const Shape& shape, const Shape& page, dtype type, std::vector<remote_ptr<PageDevice>> devices, const PageMap& map);
  // Of devices of one class, as they were made.
  template <std::derived_from<PageDevice> Device>
    requires(!std::same_as<Device, PageDevice>)
  Array(const Shape& shape, const Shape& page, dtype type, const std::vector<remote_ptr<Device>>& devices)
      : Array(shape, page, type, std::vector<remote_ptr<PageDevice>>(devices.begin(), devices.end())) {}
  template <std::derived_from<PageDevice> Device>
    requires(!std::same_as<Device, PageDevice>)
  Array(const Shape& shape, const Shape& page, dtype type, const std::vector<remote_ptr<Device>>& devices, const PageMap& map)
      : Array(shape, page, type, std::vector<remote_ptr<PageDevice>>(devices.begin(), devices.end()), map) {}

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const Shape& page() const noexcept { return page_; }
  [[nodiscard]] dtype type() const noexcept { return type_; }
  [[nodiscard]] const std::vector<remote_ptr<PageDevice>>& devices() const noexcept { return devices_; }
  [[nodiscard]] const PageMap& map() const noexcept { return map_; }

  [[nodiscard]] std::vector<TileFuture> start_read(const Box& box, dtype as) const;
  // `box` must lie within one page, as those of start_read do. The block is given away.
  [[nodiscard]] future<void> start_write(const Box& box, ArrayPage block) const;
  void prefetch(const Box& box, dtype as) const;  // where the devices have caches (D-6)

  // A box as one block of the job's pool, its axes in `order` (as numpy.transpose; empty: as stored). A block is written from that order. Where blocks
  // fill the pool, so that the pages that bring or take them find no room, they go by way of private memory: the block that is read, pieces of
  // what is written.
  [[nodiscard]] ArrayPage read(const Box& box, const Shape& order = {}, const Attend& attend = {}) const;
  void write(const Box& box, const ArrayPage& block, const Shape& order = {}, const Attend& attend = {}) const;
  // As write(), but returns when the devices have the block in their caches (D-6: at once while it fits DeviceOptions::cache_bytes). flush() raises what
  // goes wrong later.
  void write_behind(const Box& box, const ArrayPage& block, const Shape& order = {}, const Attend& attend = {}) const;

  // To and from the caller's memory: `to` and `from` are the selection's first element, strides are bytes, of any sign and order. Page by
  // page, at most `window` bytes of pages in flight (larger pages are cut along their first axes); of each page only the bounding box of
  // what is selected is read. With steps, writing reads that box, changes it and writes it back; without, it only writes.
  void read_into(const Selection& selection, std::byte* to, const Shape& byte_strides, dtype as, std::int64_t window, const Attend& attend = {}) const {
    read_into(selection, Target{to, {}}, byte_strides, as, window, attend);
  }
  void write_from(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type, std::int64_t window,
                  const Attend& attend = {}) const {
    write_from(selection, from, byte_strides, from_type, window, attend, false);
  }
  // The selected elements in C order, as T.
  [[nodiscard]] Selection select(std::initializer_list<Slice> slices) const { return octavo::select(shape_, slices); }
  template <class T>
  [[nodiscard]] std::vector<T> read(const Selection& selection) const {
    std::vector<T> values(static_cast<std::size_t>(selection.count.count()));
    read_dense(selection, values.data(), dtype_of<T>());
    return values;
  }
  // As many as are selected.
  template <std::ranges::contiguous_range Values>
  void write(const Selection& selection, const Values& values) const {
    write_dense(selection, std::ranges::data(values), std::ranges::size(values), dtype_of<std::remove_cv_t<std::ranges::range_value_t<Values>>>());
  }
  // Returns when all that was written is on the disks. Waits for every device; of several errors the first is raised, the others are logged.
  void flush(const Attend& attend = {}) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape_, page_, type_, devices_, map_);
  }

 private:
  struct TileLocation {
    Box box, part;  // in the array, in the page
    remote_ptr<PageDevice> device;
    std::int64_t page;
  };
  // A dense block in memory; `when_stuck` may move the block, and then changes `data`, while the call goes on.
  struct Target {
    std::byte* data;
    std::function<void()> when_stuck;
  };
  void read_into(const Selection& selection, const Target& to, const Shape& byte_strides, dtype as, std::int64_t window, const Attend& attend) const;
  void write_from(const Selection& selection, const std::byte* from, const Shape& byte_strides, dtype from_type, std::int64_t window, const Attend& attend,
                  bool may_be_private) const;
  void read_dense(const Selection& selection, void* to, dtype as) const;
  void write_dense(const Selection& selection, const void* from, std::size_t count, dtype type) const;
  [[nodiscard]] TileLocation location_of(const Shape& page_index, const Box& tile) const;
  [[nodiscard]] std::vector<TileLocation> locations_of(const Box& box) const;
  void check(const Box& box) const;
  void check(const Selection& selection, const Shape& byte_strides, std::int64_t window) const;

  Shape shape_, page_;
  dtype type_ = dtype::float64;
  std::vector<remote_ptr<PageDevice>> devices_;
  PageMap map_;
};

}  // namespace octavo
