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

void pages_leave(Pool& pool, wire::Outgoing& out, const std::optional<wire::PageRoute>& route, const ProcessFacts* to) {
  if (!route) refuse_in_common(out, to);
  std::size_t left = 0;
  out.owner.keeper = nullptr;
  try {
    for (; left < out.pages.size(); ++left) {
      const auto& page = out.pages[left];
      if (route) pool.hand_over(page, *route);
      else out.bulk.emplace_back(pool.at(page), page.bytes);
    }
  } catch (...) {
    for (std::size_t i = 0; i < out.pages.size(); ++i) {
      if (route && i < left) pool.take_back(out.pages[i], *route);
      else pool.release(out.pages[i]);
    }
    throw;
  }
}

void pages_left(Pool& pool, const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept {
  if (route) return;  // they are the receiver's now
  for (const auto& page : out.pages) pool.release(page);
}

void pages_stay(Pool& pool, const wire::Outgoing& out, const std::optional<wire::PageRoute>& route) noexcept {
  for (const auto& page : out.pages) {
    if (route) pool.take_back(page, *route);
    else pool.release(page);
  }
}

bool pages_come_back(Pool& pool, wire::Outgoing& out, const wire::PageRoute& route) noexcept {
  std::size_t left = 0;
  while (left < out.pages.size() && pool.recall(out.pages[left], route)) ++left;
  if (left == out.pages.size()) {
    out.owner.keeper = &pool;
    return true;
  }
  for (std::size_t i = 0; i < left; ++i) pool.release(out.pages[i]);
  for (std::size_t i = left + 1; i < out.pages.size(); ++i) pool.take_back(out.pages[i], route);
  return false;
}

PagesForResend::PagesForResend(Pool& pool, const wire::Outgoing& out, bool keep) : pool_(pool) {
  if (!keep) return;
  pages_.reserve(out.pages.size());
  for (const auto& page : out.pages) {
    pool.share(page);
    pages_.push_back(page);
  }
}

PagesForResend::~PagesForResend() {
  for (const auto& page : pages_) pool_.release(page);
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
