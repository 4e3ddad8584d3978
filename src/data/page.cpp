// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/page.hpp"

#include <cstring>
#include <utility>

#include "data/permute.hpp"
#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"

namespace octavo {

struct Page::Held {
  Held(Pool& owner, const wire::PageRef& held) : pool(&owner), memory(owner.weak_from_this().lock()), ref(held) {}
  explicit Held(wire::Buffer bytes) : own(std::move(bytes)) {}
  ~Held() {
    if (pool != nullptr && !given && life == detail::forks()) pool->release(ref);
  }
  Pool* pool = nullptr;          // none: its bytes are `own`
  std::shared_ptr<Pool> memory;  // a page may outlive its Runtime
  wire::PageRef ref{};
  wire::Buffer own;
  bool given = false;                     // its reference went into a message
  const unsigned life = detail::forks();  // in a forked child the reference belongs to the parent
};

namespace {
enum class travels : std::uint8_t { not_at_all, by_reference, by_value };

// The receiver counts the pages of one pool. One of another, of a Runtime that ended or was forked from, means nothing to it.
bool goes_by_reference(const wire::Encoder& out, const Pool& pool) {
  if (out.shares() != nullptr) return out.shares() == &pool;
  const auto* here = detail::Endpoint::current();
  return here != nullptr && &here->around().pool == &pool;
}
}  // namespace

Page::Page(std::int64_t bytes) : Page(job_pool(), job_pool().allocate(bytes)) {}

std::optional<Page> Page::try_make(std::int64_t bytes) {
  Pool& pool = job_pool();
  auto ref = pool.try_allocate(bytes);
  if (!ref) return std::nullopt;
  return Page(pool, *ref);
}

Page Page::make_by(std::int64_t bytes, road::Deadline deadline) {
  Pool& pool = job_pool();
  return {pool, pool.allocate(bytes, deadline)};
}

Page Page::make_private(std::int64_t bytes) {
  if (bytes < 0) throw usage_error("a page of " + std::to_string(bytes) + " bytes");
  return Page(wire::Buffer(static_cast<std::size_t>(bytes)));
}

Page::Page(wire::Buffer bytes)
    : held_(std::make_shared<Held>(std::move(bytes))), data_(held_->own.span().data()), size_(static_cast<std::int64_t>(held_->own.size())) {}

Page::Page(Pool& pool, const wire::PageRef& ref) : held_(std::make_shared<Held>(pool, ref)), data_(pool.at(ref)), size_(static_cast<std::int64_t>(ref.bytes)) {}

bool Page::shared() const { return held_ && (held_.use_count() > 1 || (held_->pool != nullptr && held_->pool->references(held_->ref) > 1)); }

std::byte* Page::mutable_data() {
  if (shared()) {
    Page copy = held_->pool != nullptr ? Page(size_) : make_private(size_);
    std::memcpy(copy.data_, data_, static_cast<std::size_t>(size_));
    *this = std::move(copy);
  }
  return data_;
}

void Page::save(wire::Encoder& out) const {
  const auto how = !held_ ? travels::not_at_all : held_->pool != nullptr && goes_by_reference(out, *held_->pool) ? travels::by_reference : travels::by_value;
  out(how);
  if (how == travels::not_at_all) return;
  if (how == travels::by_value) {
    out(static_cast<std::uint64_t>(size_));
    const bool copying = std::exchange(out.copying, true);  // the page may be released before the frame has left
    out.put_bulk(data_, static_cast<std::size_t>(size_));
    out.copying = copying;
    if (out.giving) forget();
    return;
  }
  if (out.giving && held_.use_count() == 1) {
    out.put_page(held_->ref, held_->pool);
    held_->given = true;
    return forget();
  }
  held_->pool->share(held_->ref);
  out.put_page(held_->ref, held_->pool);
}

void Page::forget() const {
  held_.reset();
  data_ = nullptr;
  size_ = 0;
}

void Page::load(wire::Decoder& in) {
  auto how = travels::not_at_all;
  in(how);
  *this = Page();
  if (how == travels::not_at_all) return;
  if (how == travels::by_value) {
    std::uint64_t bytes = 0;
    in(bytes);
    in.check_bytes(bytes, 1);
    *this = Page(in.take_bulk(static_cast<std::size_t>(bytes)));
    return;
  }
  wire::PageRef ref = in.take_page();
  *this = Page(job_pool(), ref);
}

std::optional<ArrayPage> ArrayPage::try_make(dtype type, const Shape& shape) {
  auto page = Page::try_make(shape.count() * size_of(type));
  if (!page) return std::nullopt;
  return ArrayPage(type, shape, std::move(*page));
}

ArrayPage ArrayPage::make_by(dtype type, const Shape& shape, road::Deadline deadline) {
  return ArrayPage(type, shape, Page::make_by(shape.count() * size_of(type), deadline));
}

ArrayPage ArrayPage::make_private(dtype type, const Shape& shape) { return ArrayPage(type, shape, Page::make_private(shape.count() * size_of(type))); }

ArrayPage::ArrayPage(dtype type, const Shape& shape, Page page) : type_(type), shape_(shape), page_(std::move(page)) {
  const auto needed = shape.count() * size_of(type);
  if (page_.size() != needed)
    throw usage_error("a page of " + std::to_string(page_.size()) + " bytes was given for a block of " + shape.text() + " " + std::string(name_of(type)) +
                      ", which takes " + std::to_string(needed));
}

void ArrayPage::check_type(dtype wanted) const {
  if (wanted != type_) throw usage_error("an array page of " + std::string(name_of(type_)) + " was used as " + std::string(name_of(wanted)));
}

void ArrayPage::put_permuted(ArrayPage& result, const Shape& order) const {
  std::int64_t size = size_of(type_);
  copy_strided(result.mutable_data(), dense_byte_strides(result.shape_, size), data(), octavo::permuted(dense_byte_strides(shape_, size), order), result.shape_,
               size);
}

ArrayPage ArrayPage::permuted(const Shape& order) const {
  check_order(order, shape_.size());
  ArrayPage result(type_, octavo::permuted(shape_, order));
  put_permuted(result, order);
  return result;
}

ArrayPage ArrayPage::permuted_in_private(const Shape& order) const {
  check_order(order, shape_.size());
  ArrayPage result = make_private(type_, octavo::permuted(shape_, order));
  put_permuted(result, order);
  return result;
}

ArrayPage ArrayPage::transposed(int first, int second) const {
  int n = shape_.size();
  if (first < 0 || second < 0 || first >= n || second >= n)
    throw usage_error("axes " + std::to_string(first) + " and " + std::to_string(second) + " of an array page of " + std::to_string(n) + " dimensions");
  Shape order;
  for (int i = 0; i < n; ++i) order.push_back(i == first ? second : i == second ? first : i);
  return permuted(order);
}

bool ArrayPage::try_permute(const Shape& order) {
  check_order(order, shape_.size());
  if (is_identity(order)) return true;
  Shape turned = octavo::permuted(shape_, order);
  if (auto result = try_make(type_, turned)) {
    put_permuted(*result, order);
    *this = std::move(*result);
    return true;
  }
  if (page_.shared()) return false;
  permute_in_place(mutable_data(), shape_, order, size_of(type_));
  shape_ = turned;
  return true;
}

void ArrayPage::permute(const Shape& order) {
  if (!try_permute(order)) *this = permuted(order);
}

}  // namespace octavo
