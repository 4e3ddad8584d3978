// SPDX-License-Identifier: Apache-2.0
// A page of a channel on its way: sent from where it lies in this machine's pool, received into one of the other's.
#pragma once

#include <memory>

#include "octavo/base/bytes.hpp"
#include "octavo/wire/page_ref.hpp"

namespace octavo::road::net {

// Holds the page until all of it is sent, or it ends, and no link looks at it any more. One at a time.
class PageOut {
 public:
  // Takes over a reference. Throws io_error for one that is stale or foreign.
  void begin(wire::SharedPages& pages, const wire::PageRef& page) {
    left_ = {pages.at(page), static_cast<std::size_t>(page.bytes)};
    held_ = std::make_shared<const Held>(pages, page);
  }
  [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }
  [[nodiscard]] std::size_t under_way() const noexcept { return under_way_; }
  // The page is held as long as this is.
  [[nodiscard]] std::shared_ptr<const void> owner() const noexcept { return held_; }
  // The next bytes, now under way: sent() when the link has them.
  ByteView take(std::size_t bytes) noexcept {
    ByteView part = left_.first(bytes);
    left_ = left_.subspan(bytes);
    under_way_ += bytes;
    return part;
  }
  void sent(std::size_t bytes) noexcept {
    under_way_ -= bytes;
    if (left_.empty() && under_way_ == 0) drop();
  }
  // Nothing of it is under way.
  void drop() noexcept {
    held_.reset();
    left_ = {};
  }

 private:
  struct Held {
    Held(wire::SharedPages& of, const wire::PageRef& which) : pages(of), page(which) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { pages.release(page); }
    wire::SharedPages& pages;
    const wire::PageRef page;
  };
  std::shared_ptr<const Held> held_;
  ByteView left_;
  std::size_t under_way_ = 0;
};

class PageIn {
 public:
  PageIn() = default;
  PageIn(const PageIn&) = delete;
  PageIn& operator=(const PageIn&) = delete;
  ~PageIn() { drop(); }

  // False: there is no room for it in the pool.
  bool begin(wire::SharedPages& pages, std::uint64_t bytes) {
    if (bytes > INT64_MAX) return false;
    auto page = pages.try_allocate_spare(static_cast<std::int64_t>(bytes));
    if (!page) return false;
    pages_ = &pages;
    page_ = *page;
    room_ = {pages.at(page_), static_cast<std::size_t>(bytes)};
    return true;
  }
  [[nodiscard]] ByteSpan room() const noexcept { return room_; }
  void came(std::size_t bytes) noexcept { room_ = room_.subspan(bytes); }
  // Gives away the page, which has come whole.
  wire::PageRef take() noexcept {
    pages_ = nullptr;
    return page_;
  }
  void drop() noexcept {
    if (pages_ != nullptr) pages_->release(page_);
    pages_ = nullptr;
    room_ = {};
  }

 private:
  wire::SharedPages* pages_ = nullptr;
  wire::PageRef page_;
  ByteSpan room_;
};

}  // namespace octavo::road::net
