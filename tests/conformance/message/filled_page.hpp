// SPDX-License-Identifier: Apache-2.0
// Pages that the tests of mailboxes and channels send, and know again.
#pragma once

#include <algorithm>
#include <cstring>

#include "octavo/data/page.hpp"

namespace message_tests {

inline octavo::Page page_of(int number, std::int64_t bytes) {
  octavo::Page page(bytes);
  std::memset(page.mutable_data(), number, static_cast<std::size_t>(bytes));
  return page;
}
inline bool is_page_of(int number, const octavo::Page& page) {
  auto right = [&](std::byte each) { return each == static_cast<std::byte>(number); };
  return page && page.size() != 0 && std::all_of(page.data(), page.data() + page.size(), right);
}

}  // namespace message_tests
