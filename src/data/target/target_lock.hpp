// SPDX-License-Identifier: Apache-2.0
// The lock file of a target: flock(2) on a file beside it.
//
// The descriptor is in a table of the keeper's thread alone (CLOSE_RANGE_UNSHARE): a child that the program forks does not get it, so the lock is free
// when the program is dead, even if a child lives on. On NFS the kernel makes a byte-range lock of it, which other hosts see.
#pragma once

#include <memory>
#include <string>

namespace octavo {

class TargetLock {
 public:
  TargetLock() noexcept;
  // `directory` is the real one; `target` is named in errors. Throws refused if it is held, or where the file system has no locks.
  TargetLock(const std::string& directory, const std::string& name, const std::string& target);
  // Of `path`, in its real directory, which is made if it is not there.
  static TargetLock of(const std::string& path);
  TargetLock(TargetLock&&) noexcept;
  TargetLock& operator=(TargetLock&&) noexcept;
  ~TargetLock();  // removes the file

 private:
  class Keeper;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace octavo
