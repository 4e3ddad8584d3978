// SPDX-License-Identifier: Apache-2.0
#include "machine/outbox.hpp"

#include "base/passed_descriptors.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

bool Outbox::say(int socket, const control::Notice& notice, std::span<const int> descriptors) {
  Unsent each{control::encode(notice), {}};
  if (unsent_.empty() && control::send_now(socket, each.datagram, descriptors) != control::sent::full) return true;
  each.descriptors = PassedDescriptors::keep(descriptors, "keeping a descriptor for a process that does not read what its agent tells it");
  unsent_.push_back(std::move(each));
  return false;
}

bool Outbox::go_on(int socket) {
  while (!unsent_.empty()) {
    const auto descriptors = PassedDescriptors::numbers_of(unsent_.front().descriptors);
    auto sent = control::sent::full;
    try {
      sent = control::send_now(socket, unsent_.front().datagram, descriptors);
    } catch (const io_error&) {  // too many descriptors are on their way to processes that have not read them yet
    }
    if (sent == control::sent::full) return false;
    if (sent == control::sent::gone) unsent_.clear();  // nobody reads it any more
    else unsent_.pop_front();
  }
  return true;
}

}  // namespace octavo
