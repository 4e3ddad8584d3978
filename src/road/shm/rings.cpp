// SPDX-License-Identifier: Apache-2.0
#include "road/shm/rings.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <tuple>

#include "base/sealed_bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::road {

namespace {
constexpr std::size_t control_bytes = 4096;

struct Controls {
  std::array<RingControl, 2> rings;  // by the side that writes
  std::array<LaneControl, 2> lanes;
  SharedLine shared;
};
static_assert(sizeof(Controls) <= control_bytes);

// What lies behind the controls, before the rings.
constexpr std::size_t page_queue_bytes = 4096;
static_assert(2 * sizeof(PageQueueControl) <= page_queue_bytes);
constexpr std::size_t middle_bytes(bool lanes) { return lanes ? 2 * lane_bytes : page_queue_bytes; }
}  // namespace

ShmRings::ShmRings(ShmEnd end) : socket(std::move(end.socket)), lanes(end.lanes) {
  if (end.side != 0 && end.side != 1) throw usage_error("opening a shared ring: it has sides 0 and 1, not " + std::to_string(end.side));
  bytes_ = sealed_bytes(end.rings, "a shared ring");
  const std::size_t before = control_bytes + middle_bytes(lanes);
  if (bytes_ < before + 8192) throw io_error("opening a shared ring: it has only " + std::to_string(bytes_) + " bytes");
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, end.rings.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping a shared ring");
  ::madvise(at, bytes_, MADV_DONTDUMP);  // there may be hundreds
  base_ = static_cast<std::byte*>(at);
  std::size_t capacity = (bytes_ - before) / 2;
  auto* controls = reinterpret_cast<Controls*>(base_);  // zero bytes are valid controls, and lines
  const auto mine = static_cast<std::size_t>(end.side), theirs = 1 - mine;
  auto data = [&](std::size_t ring) { return base_ + before + ring * capacity; };
  out = RingWriter(&controls->rings[mine], data(mine), capacity);
  in = RingReader(&controls->rings[theirs], data(theirs), capacity);
  if (!lanes) {
    auto* queues = reinterpret_cast<PageQueueControl*>(base_ + control_bytes);
    pages_out = PageQueueWriter(queues + mine);
    pages_in = PageQueueReader(queues + theirs);
    return;
  }
  auto lines = [&](std::size_t lane) { return reinterpret_cast<Line*>(base_ + control_bytes + lane * lane_bytes); };
  shared.emplace(controls->shared, mine);
  lane_out = LaneWriter(&controls->lanes[mine], lines(mine), &*shared);
  lane_in = LaneReader(&controls->lanes[theirs], lines(theirs), &*shared);
}

bool ShmRings::others_end_is_closed() const noexcept {
  pollfd end{socket.get(), POLLRDHUP, 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & (POLLRDHUP | POLLHUP)) != 0;
}

ShmRings::~ShmRings() { ::munmap(base_, bytes_); }

ShmEnds make_shm_ends(std::size_t ring_bytes, bool lanes) {
  ShmEnds ends;
  ends.first.lanes = ends.second.lanes = lanes;
  std::tie(ends.first.socket, ends.second.socket) = socket_pair(SOCK_STREAM, "making a connection");
  ends.second.side = 1;
  ends.first.rings.reset(::memfd_create("octavo-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!ends.first.rings || ::ftruncate(ends.first.rings.get(), static_cast<off_t>(control_bytes + middle_bytes(lanes) + 2 * ring_bytes)) != 0)
    throw io_error_from(errno, "making a shared ring of " + format_bytes(static_cast<std::int64_t>(ring_bytes)));
  // Neither end can shrink it under the other (SIGBUS).
  ::fcntl(ends.first.rings.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  ends.second.rings.reset(::fcntl(ends.first.rings.get(), F_DUPFD_CLOEXEC, 0));
  if (!ends.second.rings) throw io_error_from(errno, "making a shared ring");
  return ends;
}

}  // namespace octavo::road
