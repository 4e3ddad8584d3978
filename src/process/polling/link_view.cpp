// SPDX-License-Identifier: Apache-2.0
#include "process/polling/link_view.hpp"

#include <algorithm>

namespace octavo::detail {

void LinkView::refresh(std::uint64_t seen) {
  if (!table_.refresh(links_, version_)) return;
  version_ = seen;
  ++round_;
  known_.fill(SIZE_MAX);
}

const PeerLink* LinkView::find(const Address& to) {
  if (changed()) return nullptr;
  auto& known = known_[to.object % known_.size()];
  if (known < links_.size() && links_[known].facts.address == to) return &links_[known];
  auto found = std::find_if(links_.begin(), links_.end(), [&](const PeerLink& link) { return link.facts.address == to; });
  if (found == links_.end()) return nullptr;
  known = static_cast<std::size_t>(found - links_.begin());
  return &*found;
}

// Of a few, one branch for all of them: it is guessed wrong when something comes, and that once.
bool LinkView::some_is_ready() const {
  constexpr std::size_t few = 2;
  bool some = false;
  for (std::size_t i = 0; i < links_.size() && (i < few || !some); ++i) some |= links_[i].connection->ready();
  return some;
}

}  // namespace octavo::detail
