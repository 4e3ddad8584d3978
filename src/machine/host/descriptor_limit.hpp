// SPDX-License-Identifier: Apache-2.0
// How many descriptors this process may have. Many systems allow 1,024 at first, and far more to a process that asks: so the soft limit is raised where it gets
// short, and only there, as programs that use select(2) rely on it. Children are given what it was.
//
//   const Fd one(::open(...));
//   DescriptorLimit::own().make_room(one.get());      // raises it, if half of the numbers are taken
//   DescriptorLimit::own().give_back(pid);            // to a child that was started
//
// Threading: any. Failure: where it cannot be raised it stays as it is, and what needs more fails with EMFILE.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <mutex>

namespace octavo {

class DescriptorLimit {
 public:
  // There is one for a process, as the limit is the process's.
  static DescriptorLimit& own();
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

  // `descriptor` was made just now: the lowest number that was free.
  void make_room(int descriptor) noexcept;
  // What the program had before; what it has now, if it has changed it itself since.
  [[nodiscard]] rlimit of_children() const noexcept;
  void give_back(pid_t child) const noexcept;

 private:
  DescriptorLimit() = default;
  mutable std::mutex mutex_;
  rlim_t before_ = 0, raised_ = 0;  // soft ones; 0: it was not raised
};

}  // namespace octavo
