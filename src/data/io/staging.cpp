// SPDX-License-Identifier: Apache-2.0
#include "data/io/staging.hpp"

#include <sys/mman.h>

#include <cerrno>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {
constexpr std::int64_t huge_page = 2 * MiB;
}

Staging::~Staging() {
  if (memory_ != nullptr) ::munmap(memory_, bytes());
}

void Staging::map() {
  if (memory_ != nullptr) return;
  std::size_t slack = static_cast<std::size_t>(huge_page);
  void* got = ::mmap(nullptr, bytes() + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) throw io_error_from(errno, "mapping " + format_bytes(count_ * buffer_bytes_) + " of disk buffers");
  // Only whole huge pages can be huge: keep the aligned range, give back what stands over on both sides.
  auto* first = static_cast<std::byte*>(got);
  auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first));
  auto before = static_cast<std::size_t>(round_up(address, huge_page) - address);
  memory_ = first + before;
  if (before > 0) ::munmap(first, before);
  auto after = static_cast<std::size_t>(round_up(static_cast<std::int64_t>(bytes()), 4 * KiB));
  if (before + after < bytes() + slack) ::munmap(memory_ + after, bytes() + slack - before - after);
  if (count_ * buffer_bytes_ >= huge_page) ::madvise(memory_, bytes(), MADV_HUGEPAGE);  // advice: where it is refused the pages are small
}

}  // namespace octavo
