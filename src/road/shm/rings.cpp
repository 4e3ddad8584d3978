// SPDX-License-Identifier: Apache-2.0
#include "road/shm/rings.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <tuple>

#include "octavo/base/error.hpp"

namespace octavo::road {

namespace {
constexpr std::size_t control_bytes = 4096;
}

ShmRings::ShmRings(ShmEnd end) : socket(std::move(end.socket)) {
  if (end.side != 0 && end.side != 1) throw usage_error("opening a shared ring: it has sides 0 and 1, not " + std::to_string(end.side));
  struct stat facts {};
  if (::fstat(end.rings.get(), &facts) != 0) throw io_error_from(errno, "opening a shared ring");
  bytes_ = static_cast<std::size_t>(facts.st_size);
  if (bytes_ < control_bytes + 8192) throw io_error("opening a shared ring: it has only " + std::to_string(bytes_) + " bytes");
  void* at = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, end.rings.get(), 0);
  if (at == MAP_FAILED) throw io_error_from(errno, "mapping a shared ring");
  base_ = static_cast<std::byte*>(at);
  std::size_t capacity = (bytes_ - control_bytes) / 2;
  auto* controls = reinterpret_cast<RingControl*>(base_);  // zero bytes are valid controls
  auto data = [&](int ring) { return base_ + control_bytes + static_cast<std::size_t>(ring) * capacity; };
  out = RingWriter(&controls[end.side], data(end.side), capacity);
  in = RingReader(&controls[1 - end.side], data(1 - end.side), capacity);
}

ShmRings::~ShmRings() { ::munmap(base_, bytes_); }

ShmEnds make_shm_ends(std::size_t ring_bytes) {
  ShmEnds ends;
  std::tie(ends.first.socket, ends.second.socket) = socket_pair(SOCK_STREAM, "making a connection");
  ends.second.side = 1;
  ends.first.rings.reset(::memfd_create("octavo-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!ends.first.rings || ::ftruncate(ends.first.rings.get(), static_cast<off_t>(control_bytes + 2 * ring_bytes)) != 0)
    throw io_error_from(errno, "making a shared ring of " + format_bytes(static_cast<std::int64_t>(ring_bytes)));
  // Neither end can shrink it under the other (SIGBUS).
  ::fcntl(ends.first.rings.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  ends.second.rings.reset(::fcntl(ends.first.rings.get(), F_DUPFD_CLOEXEC, 0));
  if (!ends.second.rings) throw io_error_from(errno, "making a shared ring");
  return ends;
}

}  // namespace octavo::road
