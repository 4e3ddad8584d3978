// SPDX-License-Identifier: Apache-2.0
#include "process/sending/pages.hpp"

#include <algorithm>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// They stay the frame's.
void refuse_in_common(const wire::Outgoing& out, const ProcessFacts* to) {
  const auto found = std::find_if(out.pages.begin(), out.pages.end(), [](const wire::PageRef& page) { return page.in_common != 0; });
  if (found == out.pages.end()) return;
  const auto whom = to == nullptr ? "its caller" : to->class_name + " (process " + std::to_string(to->address.object) + ") on " + to->machine;
  throw not_supported("a segment of " + format_bytes(static_cast<std::int64_t>(found->bytes)) + " was to go to " + whom +
                          ", which is on another machine or of another program, and so cannot map it",
                      "Send segment.copy(), or keep the segment to one program on one machine");
}

}  // namespace

PagesUnderWay::PagesUnderWay(Pool& pool, wire::Outgoing& out, const std::optional<wire::PageRoute>& route, keeps keep, const ProcessFacts* to)
    : pool_(pool), out_(out), route_(route), kept_(pool) {
  if (keep == keeps::yes) {
    kept_.pages.reserve(out.pages.size());
    for (const auto& page : out.pages) {
      pool.share(page);
      kept_.pages.push_back(page);
    }
  }
  leave(to);
}

PagesUnderWay::~PagesUnderWay() {
  if (!under_way_ || route_) return;  // they are the receiver's now
  for (const auto& page : out_.pages) pool_.release(page);
}

PagesUnderWay::Kept::~Kept() {
  for (const auto& page : pages) pool.release(page);
}

void PagesUnderWay::leave(const ProcessFacts* to) {
  if (!route_) refuse_in_common(out_, to);
  std::size_t left = 0;
  out_.owner.keeper = nullptr;
  try {
    for (; left < out_.pages.size(); ++left) {
      const auto& page = out_.pages[left];
      if (route_) pool_.hand_over(page, *route_);
      else out_.bulk.emplace_back(pool_.at(page), page.bytes);
    }
  } catch (...) {
    for (std::size_t i = 0; i < out_.pages.size(); ++i) {
      if (route_ && i < left) pool_.take_back(out_.pages[i], *route_);
      else pool_.release(out_.pages[i]);
    }
    throw;
  }
  under_way_ = true;
}

// By value they can go again as they are: they lie here until this ends.
void PagesUnderWay::take_back() noexcept {
  if (!route_ || !std::exchange(under_way_, false)) return;
  for (const auto& page : out_.pages) pool_.take_back(page, *route_);
}

void PagesUnderWay::leave_again(const std::optional<wire::PageRoute>& route, const ProcessFacts& to) {
  if (under_way_) return;
  for (const auto& page : out_.pages) pool_.share(page);
  route_ = route;
  leave(&to);
}

bool PagesUnderWay::come_back() noexcept {
  under_way_ = false;
  std::size_t left = 0;
  while (left < out_.pages.size() && pool_.recall(out_.pages[left], *route_)) ++left;
  if (left == out_.pages.size()) {
    out_.owner.keeper = &pool_;
    return true;
  }
  for (std::size_t i = 0; i < left; ++i) pool_.release(out_.pages[i]);
  for (std::size_t i = left + 1; i < out_.pages.size(); ++i) pool_.take_back(out_.pages[i], *route_);
  return false;
}

void adopt_pages(Pool& pool, wire::Message& message) {
  auto is_ours = [](const wire::PageRef& page) { return page.by_value == 0; };
  if (std::all_of(message.pages.begin(), message.pages.end(), is_ours)) return;
  if (message.bulk.size() < message.pages.size()) throw io_error("a frame came with pages of a pool that is not ours");
  std::size_t first = message.bulk.size() - message.pages.size();
  message.keeper = &pool;
  for (std::size_t i = 0; i < message.pages.size(); ++i) {
    if (is_ours(message.pages[i])) continue;
    auto bytes = message.bulk[first + i].span();
    if (bytes.size() != message.pages[i].bytes)
      throw io_error("a page of " + std::to_string(message.pages[i].bytes) + " bytes came with " + std::to_string(bytes.size()));
    auto page = pool.allocate(static_cast<std::int64_t>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), pool.at(page));
    message.pages[i] = page;
    message.bulk[first + i] = {};
  }
  message.bulk.resize(first);
}

}  // namespace octavo::detail
