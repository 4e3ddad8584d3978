// SPDX-License-Identifier: Apache-2.0
#include "road/shm/arriving_pages.hpp"

#include <algorithm>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"

namespace octavo::road {

ArrivingPages::~ArrivingPages() {
  wire::SharedPages* pool = by_.relay != nullptr ? by_.relay : by_.value;
  if (pool == nullptr) return;
  for (const auto& page : taken_) pool->release(page);
  if (by_.relay != nullptr) rings_.pages_in.close();
}

bool ArrivingPages::is_next() const {
  if (by_.relay == nullptr) return false;
  const auto descriptor = rings_.pages_in.next();
  return descriptor && descriptor->position == rings_.in.position();
}

bool ArrivingPages::take_next(const Doorbell& peer, std::size_t& bytes_before) {
  if (by_.value != nullptr) return copy_some(peer);
  if (by_.relay != nullptr && take_from_relay(peer, bytes_before)) return true;
  if (decoder_.awaits_page() && bytes_before != 0) decoder_.take_bytes_of_page();
  return false;
}

bool ArrivingPages::take_from_relay(const Doorbell& peer, std::size_t& bytes_before) {
  bytes_before = rings_.in.available();  // loaded first: then the descriptors of all pages that stand before these bytes are visible
  const auto descriptor = rings_.pages_in.next();
  if (!descriptor) return false;
  const std::uint64_t before = descriptor->position - rings_.in.position();
  if (before != 0) {
    bytes_before = static_cast<std::size_t>(std::min<std::uint64_t>(before, bytes_before));
    return false;
  }
  if (!decoder_.take_page(descriptor->page))
    throw io_error("a frame was refused: a page of " + std::to_string(descriptor->page.bytes) + " bytes came where none was to come");
  by_.relay->accept(descriptor->page, way_in_);
  taken_.push_back(descriptor->page);
  if (rings_.pages_in.pop()) peer.ring();
  return true;
}

// Where there is no room in the pool the page is received as bulk, and made a page when there is (process/sending/pages.hpp).
bool ArrivingPages::copy_some(const Doorbell& peer) {
  if (!decoder_.awaits_page() || rings_.in.available() == 0) return false;
  if (!coming_.has_begun() && !coming_.begin(*by_.value, decoder_.bytes_of_page())) {
    decoder_.take_bytes_of_page();
    return false;
  }
  const std::size_t n = rings_.in.read_slice(coming_.room());
  coming_.came(n);
  if (rings_.in.release()) peer.ring();
  if (!coming_.room().empty()) return n != 0;
  const auto page = taken_.emplace_back(coming_.take());
  if (!decoder_.take_page(page)) throw io_error("a frame was refused: a page that is not as large as it was to be");
  return true;
}

void ArrivingPages::accept(wire::Message& message) {
  if (!by_.is_for_frames()) refuse_foreign(message);
  taken_.clear();
  if (by_.is_for_frames() && !message.pages.empty()) accept_references(message);
  message.keeper = by_.relay != nullptr ? by_.relay : by_.value != nullptr ? by_.value : by_.reference;
}

// Those of another pool come as bytes or beside them. By reference a broken peer could have any page of ours released.
void ArrivingPages::refuse_foreign(wire::Message& message) const {
  const auto ours = std::count_if(message.pages.begin(), message.pages.end(), [](const wire::PageRef& page) { return page.by_value == 0; });
  if (static_cast<std::size_t>(ours) == taken_.size()) return;
  message.pages.clear();
  wire::refuse_frame("a page of another pool, by reference");
}

// The pages of a frame that is refused stay handed over until the way is closed.
void ArrivingPages::accept_references(wire::Message& message) {
  if (by_.reference == nullptr) return;
  auto next = message.pages.begin();
  try {
    for (; next != message.pages.end(); ++next) {
      if (next->by_value != 0) wire::refuse_frame("a page that is not in the pool");
      delay_point("page: about to be accepted");
      by_.reference->accept(*next, way_in_);
    }
  } catch (...) {
    message.pages.erase(next, message.pages.end());
    message.keeper = by_.reference;
    throw;
  }
}

}  // namespace octavo::road
