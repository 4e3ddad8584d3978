// SPDX-License-Identifier: Apache-2.0
#include "data/device/file_use.hpp"

#include <fcntl.h>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

struct flock lock_of(short type, std::int64_t byte) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return lock;
}

}  // namespace

// Gives true: it is not to be asked for again.
bool FileUse::begin(std::int64_t own, std::int64_t other) {
  if (!file_) file_ = Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) return true;  // the device that reads or writes it will say why
  auto mine = lock_of(F_RDLCK, own);
  if (::fcntl(file_.get(), F_OFD_SETLK, &mine) != 0) return true;
  auto others = lock_of(F_WRLCK, other);
  if (::fcntl(file_.get(), F_OFD_GETLK, &others) != 0 || others.l_type == F_UNLCK) return true;
  mine.l_type = F_UNLCK;
  (void)::fcntl(file_.get(), F_OFD_SETLK, &mine);
  if (own == write_byte)
    throw refused("a device may not write to '" + path_ + "': another one has a cache of its pages",
                  "End that device, or make it without a cache (DeviceOptions::cache_bytes = 0)");
  throw refused("a device may not have a cache of the pages of '" + path_ + "': another one writes to it",
                "End that device, or make this one without a cache (DeviceOptions::cache_bytes = 0)");
}

}  // namespace octavo
