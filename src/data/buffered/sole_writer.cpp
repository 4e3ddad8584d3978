// SPDX-License-Identifier: Apache-2.0
#include "data/target/target_lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"

namespace octavo::detail {

std::shared_ptr<void> sole_writer(const std::string& path) {
  try {
    return std::make_shared<TargetLock>(TargetLock::of(path));
  } catch (const refused& error) {
    throw refused("'" + path + "' is compressed, and open for writing elsewhere: of two that write to one chunk the first would be lost (" + error.message() + ")",
                  "Close it there; or let all write by one that has it, an array with a name (octavo.named)");
  }
}

}  // namespace octavo::detail
