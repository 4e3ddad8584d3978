// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "data/target/target_lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/detail/buffers.hpp"

namespace octavo::detail {

namespace {

// A child that was forked off has neither the lock nor the thread that keeps it: it leaves them as they lie.
class Held {
 public:
  explicit Held(const std::string& path) : lock_(std::make_unique<TargetLock>(TargetLock::of(path))) {}
  ~Held() {
    if (::getpid() != owner_) static_cast<void>(lock_.release());
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  std::unique_ptr<TargetLock> lock_;
  const pid_t owner_ = ::getpid();
};

}  // namespace

std::shared_ptr<void> sole_writer(const std::string& path) {
  try {
    return std::make_shared<Held>(path);
  } catch (const refused& error) {
    throw refused(
        "'" + path + "' is compressed, and open for writing elsewhere: of two that write to one chunk the first would be lost (" + error.message() + ")",
        "Close it there; or let all write by one that has it, an array with a name (octavo.named)");
  }
}

}  // namespace octavo::detail
