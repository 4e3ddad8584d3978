// SPDX-License-Identifier: Apache-2.0
// A page that comes as bytes, and is received into one of this process's pool.
//
//   if (page.begin(pool, bytes)) ...          // then until room() is empty: put some there, and came(so many)
//   wire::PageRef whole = page.take();
#pragma once

#include <cstdint>

#include "octavo/base/bytes.hpp"
#include "octavo/wire/page_ref.hpp"

namespace octavo::road {

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
  [[nodiscard]] bool has_begun() const noexcept { return pages_ != nullptr; }
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

}  // namespace octavo::road
