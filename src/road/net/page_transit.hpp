// SPDX-License-Identifier: Apache-2.0
// A page of a channel on its way out: sent from where it lies in this machine's pool. (In: road/shm/page_in.hpp.)
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

}  // namespace octavo::road::net
