// SPDX-License-Identifier: Apache-2.0
// A page: bytes in the job's pool, shared by all processes of the machine. It travels in a call without a copy.
//
//   octavo::Page page(32 << 20);                        // waits while the pool is full
//   std::memset(page.mutable_data(), 0, page.size());
//   storage->write(std::move(page), 17);                // given away: the receiver may write to it (C-4)
//   storage->write(page, 18);                           // shared: read-only as long as more than one holds it
//
// A handle is a value; copies name the same bytes. mutable_data() copies first if anyone else holds them. Threading: as
// std::shared_ptr. Failure: refused (larger than the pool), usage_error (no Runtime).
#pragma once

#include <memory>

#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"
#include "octavo/process/runtime.hpp"

namespace octavo {

class Page {
 public:
  Page() = default;
  explicit Page(std::int64_t bytes);
  // Without waiting: nothing while the pool is full. Waiting no longer than `deadline`: throws timed_out.
  static std::optional<Page> try_make(std::int64_t bytes);
  static Page make_by(std::int64_t bytes, road::Deadline deadline);
  // In this process's own memory, for a caller that cannot wait for room in the pool: it travels by value.
  static Page make_private(std::int64_t bytes);

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::byte* mutable_data();
  [[nodiscard]] bool shared() const;  // someone else, here or in another process, holds it too
  explicit operator bool() const noexcept { return held_ != nullptr; }

  void save(wire::Encoder& out) const;
  void load(wire::Decoder& in);

 private:
  struct Held;
  Page(Pool& pool, const wire::PageRef& ref);
  explicit Page(wire::Buffer bytes);
  void forget() const;
  // Mutable: encoding with `giving` takes all of it away, which is what moving into a call means.
  mutable std::shared_ptr<Held> held_;
  mutable std::byte* data_ = nullptr;
  mutable std::int64_t size_ = 0;
};

// A block of an N-D array in a page: dense, C order.
//
//   octavo::ArrayPage block(octavo::dtype::float64, {64, 64});
//   auto values = block.values<double>();   values[3] = 1;      // std::span
//   octavo::ArrayPage turned = block.transposed(0, 1);
class ArrayPage {
 public:
  ArrayPage() = default;
  ArrayPage(dtype type, const Shape& shape) : ArrayPage(type, shape, Page(shape.count() * size_of(type))) {}
  // Of the bytes of this page. Throws usage_error where it has not as many as the block.
  ArrayPage(dtype type, const Shape& shape, Page page);
  static std::optional<ArrayPage> try_make(dtype type, const Shape& shape);
  static ArrayPage make_by(dtype type, const Shape& shape, road::Deadline deadline);
  static ArrayPage make_private(dtype type, const Shape& shape);

  [[nodiscard]] dtype type() const noexcept { return type_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::int64_t bytes() const noexcept { return page_.size(); }
  [[nodiscard]] const std::byte* data() const noexcept { return page_.data(); }
  [[nodiscard]] std::byte* mutable_data() { return page_.mutable_data(); }
  [[nodiscard]] const Page& page() const noexcept { return page_; }
  // Throws usage_error if T is not the element type.
  template <class T>
  std::span<T> values() {
    check_type(dtype_of<T>());
    return {reinterpret_cast<T*>(page_.mutable_data()), static_cast<std::size_t>(shape_.count())};
  }
  template <class T>
  std::span<const T> values() const {
    check_type(dtype_of<T>());
    return {reinterpret_cast<const T*>(page_.data()), static_cast<std::size_t>(shape_.count())};
  }
  // A new page with the axes in `order`, as numpy.transpose: axis i of it is axis order[i] of this one.
  [[nodiscard]] ArrayPage permuted(const Shape& order) const;
  [[nodiscard]] ArrayPage permuted_in_private(const Shape& order) const;  // the same, by make_private()
  // Two axes exchanged (Givelberg 2.1: transpose13, transpose23).
  [[nodiscard]] ArrayPage transposed(int first, int second) const;
  // This handle's axes put in `order`: through another page if the pool has room at once, else in place by way of private memory. Only a
  // page that is shared while the pool is full has to wait: permute() does, try_permute() gives false.
  void permute(const Shape& order);
  [[nodiscard]] bool try_permute(const Shape& order);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(type_, shape_, page_);
  }

 private:
  void check_type(dtype wanted) const;
  void put_permuted(ArrayPage& result, const Shape& order) const;
  dtype type_ = dtype::float64;
  Shape shape_;
  Page page_;
};

}  // namespace octavo
