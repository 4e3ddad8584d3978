// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/clone.hpp"

#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "machine/host/process_stat.hpp"

namespace octavo::forking {

namespace {

// What the C library keeps of this thread, for the kernel to write. fork() has it write to both in the child, and so must we: the C library goes by them
// (pthread_setaffinity_np, pthread_join and the like).
struct ThreadFields {
  pid_t* number = nullptr;      // null: it is not known where that is
  pid_t* at_its_end = nullptr;  // the same until glibc 2.42
};

// Where glibc tells debuggers that the number is (libthread_db).
pid_t* told_to_debuggers() {
  struct Field {
    std::uint32_t bits, elements, offset;
  };
  const auto* field = static_cast<const Field*>(::dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid"));
  if (field == nullptr || field->bits != 8 * sizeof(pid_t) || field->elements != 1) return nullptr;
  return reinterpret_cast<pid_t*>(reinterpret_cast<char*>(::pthread_self()) + field->offset);
}

ThreadFields own_fields() {
  pid_t* at_its_end = nullptr;
  if (::prctl(PR_GET_TID_ADDRESS, &at_its_end) != 0 || at_its_end == nullptr) return {};
  const auto holds_number = [](const pid_t* field) { return field != nullptr && *field == static_cast<pid_t>(::syscall(SYS_gettid)); };
  auto* number = holds_number(at_its_end) ? at_its_end : told_to_debuggers();
  return {holds_number(number) ? number : nullptr, at_its_end};
}

}  // namespace

pid_t fork_as_sibling(Fd& pidfd) {
  const auto [number, at_its_end] = own_fields();
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
  if (pid > 0) {
    pidfd.reset(descriptor);
  } else {
    if (at_its_end != number) ::syscall(SYS_set_tid_address, at_its_end);
    if (robust != nullptr) ::syscall(SYS_set_robust_list, robust, robust_size);  // the kernel gives a fork none
  }
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
