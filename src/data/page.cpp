// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/page.hpp"

#include <cstring>

#include "octavo/base/error.hpp"

namespace octavo {

struct Page::Held {
  Held(Pool& owner, const wire::PageRef& held) : pool(&owner), ref(held) {}
  ~Held() {
    if (!given) pool->release(ref);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Pool* pool;
  wire::PageRef ref;
  bool given = false;  // its reference went into a message
};

Page::Page(std::int64_t bytes) {
  Pool& pool = job_pool();
  adopt(pool, pool.allocate(bytes));
}

std::optional<Page> Page::try_make(std::int64_t bytes) {
  Pool& pool = job_pool();
  auto ref = pool.try_allocate(bytes);
  if (!ref) return std::nullopt;
  Page page;
  page.adopt(pool, *ref);
  return page;
}

Page Page::make_by(std::int64_t bytes, road::Deadline deadline) {
  Pool& pool = job_pool();
  Page page;
  page.adopt(pool, pool.allocate(bytes, deadline));
  return page;
}

void Page::adopt(Pool& pool, const wire::PageRef& ref) {
  held_ = std::make_shared<Held>(pool, ref);
  data_ = pool.at(ref);
  size_ = static_cast<std::int64_t>(ref.bytes);
}

bool Page::shared() const { return held_ && (held_.use_count() > 1 || held_->pool->references(held_->ref) > 1); }

std::byte* Page::mutable_data() {
  if (shared()) {
    Page copy(size_);
    std::memcpy(copy.data_, data_, static_cast<std::size_t>(size_));
    *this = std::move(copy);
  }
  return data_;
}

void Page::save(wire::Encoder& out) const {
  out(static_cast<bool>(held_));
  if (!held_) return;
  if (out.giving && held_.use_count() == 1) {
    held_->given = true;
    out.put_page(held_->ref);
    held_.reset();
    return;
  }
  held_->pool->share(held_->ref);
  out.put_page(held_->ref);
}

void Page::load(wire::Decoder& in) {
  bool there = false;
  in(there);
  *this = Page();
  if (!there) return;
  wire::PageRef ref = in.take_page();
  Pool& pool = job_pool();
  adopt(pool, ref);
}

std::optional<ArrayPage> ArrayPage::try_make(dtype type, const Shape& shape) {
  auto page = Page::try_make(shape.count() * size_of(type));
  if (!page) return std::nullopt;
  return ArrayPage(type, shape, std::move(*page));
}

ArrayPage ArrayPage::make_by(dtype type, const Shape& shape, road::Deadline deadline) {
  return ArrayPage(type, shape, Page::make_by(shape.count() * size_of(type), deadline));
}

void ArrayPage::check_type(dtype wanted) const {
  if (wanted != type_) throw usage_error("an array page of " + std::string(name_of(type_)) + " was used as " + std::string(name_of(wanted)));
}

namespace {

template <std::int64_t Size>
void transpose_elements(const std::byte* from, std::byte* to, const Shape& shape, const Shape& to_strides) {
  int last = shape.size() - 1;
  std::int64_t row = shape[last], step = to_strides[last] * Size;
  for (std::int64_t i = 0, rows = shape.count(0, last); i < rows; ++i) {
    Shape head;
    for (int axis = 0; axis < last; ++axis) head.push_back(shape[axis]);
    Shape at = unflatten(i, head);
    std::int64_t offset = 0;
    for (int axis = 0; axis < last; ++axis) offset += at[axis] * to_strides[axis];
    std::byte* put = to + offset * Size;
    for (std::int64_t k = 0; k < row; ++k, put += step, from += Size) std::memcpy(put, from, Size);
  }
}

}  // namespace

ArrayPage ArrayPage::transposed(int first, int second) const {
  int n = shape_.size();
  if (first < 0 || second < 0 || first >= n || second >= n)
    throw usage_error("axes " + std::to_string(first) + " and " + std::to_string(second) + " of an array page of " + std::to_string(n) + " dimensions");
  Shape turned = shape_;
  std::swap(turned[first], turned[second]);
  ArrayPage result(type_, turned);
  Shape strides = dense_strides(turned);
  std::swap(strides[first], strides[second]);
  std::byte* to = result.mutable_data();
  switch (size_of(type_)) {
    case 1: transpose_elements<1>(data(), to, shape_, strides); break;
    case 2: transpose_elements<2>(data(), to, shape_, strides); break;
    case 4: transpose_elements<4>(data(), to, shape_, strides); break;
    case 8: transpose_elements<8>(data(), to, shape_, strides); break;
    default: transpose_elements<16>(data(), to, shape_, strides); break;
  }
  return result;
}

}  // namespace octavo
