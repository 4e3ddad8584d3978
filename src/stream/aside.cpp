// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/aside.hpp"

#include "octavo/base/error.hpp"
#include "octavo/stream/detail/loop.hpp"

namespace octavo::stream {

void AsideBase::add(std::uint64_t bytes) {
  if (bytes_ + bytes > most_)
    throw refused("before stage '" + stage_ + "' of a stream lie " + std::to_string(bytes_) + " bytes, and " + std::to_string(most_) + " is its limit",
                  "It is slower than what comes: give it more workers, leave unbounded() out, or name more memory, as unbounded(8 << 30)");
  bytes_ += bytes;
  count_.fetch_add(1, std::memory_order_seq_cst);
}

void AsideBase::remove(std::uint64_t bytes) noexcept {
  bytes_ -= bytes;
  count_.fetch_sub(1, std::memory_order_seq_cst);
}

void LoopBase::add_waiting(std::uint64_t bytes) {
  if (bytes_ + bytes > most_bytes_)
    throw refused(
        "what stage '" + stage_ + "' of a stream has fed back takes " + std::to_string(bytes_) + " bytes, and " + std::to_string(most_bytes_) + " is its limit",
        "Feed back less at a time, or name a larger one, as bound({.bytes = 8 << 30})");
  bytes_ += bytes;
}

}  // namespace octavo::stream
