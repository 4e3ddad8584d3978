// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/clone.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "machine/host/process_stat.hpp"

namespace octavo::forking {

namespace {

// Where the C library keeps the number of this thread; null: it is not there. fork() has the kernel write the child's number there, and so must we: the C
// library goes by it (pthread_setaffinity_np and the like).
pid_t* own_thread_number() {
  pid_t* number = nullptr;
  const bool known = ::prctl(PR_GET_TID_ADDRESS, &number) == 0 && number != nullptr && *number == static_cast<pid_t>(::syscall(SYS_gettid));
  return known ? number : nullptr;
}

}  // namespace

pid_t fork_as_sibling(Fd& pidfd) {
  pid_t* number = own_thread_number();
  if (number == nullptr) return -ENOTSUP;
  robust_list_head* robust = nullptr;
  std::size_t robust_size = 0;
  if (::syscall(SYS_get_robust_list, 0, &robust, &robust_size) != 0) robust = nullptr;
  int descriptor = -1;
  const unsigned long flags = CLONE_PARENT | CLONE_PIDFD | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD;
#if defined(__x86_64__)
  const long pid = ::syscall(SYS_clone, flags, nullptr, &descriptor, number, nullptr);
#else
  const long pid = ::syscall(SYS_clone, flags, nullptr, &descriptor, nullptr, number);
#endif
  if (pid < 0) return -errno;
  if (pid > 0) pidfd.reset(descriptor);
  else if (robust != nullptr) ::syscall(SYS_set_robust_list, robust, robust_size);  // the kernel gives a fork none
  return static_cast<pid_t>(pid);
}

Title::Title() {
  const auto own = stat_of(::getpid());
  if (!own || own->arguments == 0 || own->arguments_end <= own->arguments) return;
  auto* arguments = reinterpret_cast<char*>(own->arguments);
  const std::size_t room = own->arguments_end - own->arguments, name = ::strnlen(arguments, room) + 1;
  if (name < room) room_ = {arguments + name, room - name};
}

void Title::show(std::string_view title) const noexcept {
  if (room_.empty()) return;
  std::memset(room_.data(), 0, room_.size());
  std::memcpy(room_.data(), title.data(), std::min(title.size(), room_.size() - 1));
}

}  // namespace octavo::forking
