/* SPDX-License-Identifier: Apache-2.0 */
/* What Octavo and libstdc++'s headers call of glibc newer than 2.28. sysroot.py puts this where the linker looks when the old libc.so lacks a
   name, so the sources stay as they are. Where the machine's glibc has the function it does the work (dlsym); elsewhere we do, as well as can be. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* libstdc++ leaves out atomic instructions where this says that there is one thread; 0 is always true enough. */
char __libc_single_threaded = 0;

pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

const char* strerrordesc_np(int error) {
  const char* (*newer)(int) = (const char* (*)(int))dlsym(RTLD_DEFAULT, "strerrordesc_np");
  static locale_t untranslated;
  if (newer) return newer(error);
  if (!untranslated) untranslated = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  return strerror_l(error, untranslated);
}

#define NAME(error) case error: return #error;
const char* strerrorname_np(int error) {
  const char* (*newer)(int) = (const char* (*)(int))dlsym(RTLD_DEFAULT, "strerrorname_np");
  if (newer) return newer(error);
  switch (error) { /* those that files, processes and sockets end with */
    NAME(EPERM) NAME(ENOENT) NAME(ESRCH) NAME(EINTR) NAME(EIO) NAME(ENXIO) NAME(E2BIG) NAME(ENOEXEC) NAME(EBADF) NAME(ECHILD) NAME(EAGAIN)
    NAME(ENOMEM) NAME(EACCES) NAME(EFAULT) NAME(EBUSY) NAME(EEXIST) NAME(EXDEV) NAME(ENODEV) NAME(ENOTDIR) NAME(EISDIR) NAME(EINVAL) NAME(ENFILE)
    NAME(EMFILE) NAME(ENOTTY) NAME(ETXTBSY) NAME(EFBIG) NAME(ENOSPC) NAME(ESPIPE) NAME(EROFS) NAME(EMLINK) NAME(EPIPE) NAME(ERANGE) NAME(EDEADLK)
    NAME(ENAMETOOLONG) NAME(ENOLCK) NAME(ENOSYS) NAME(ENOTEMPTY) NAME(ELOOP) NAME(EPROTO) NAME(EOVERFLOW) NAME(EMSGSIZE) NAME(EOPNOTSUPP)
    NAME(EADDRINUSE) NAME(EADDRNOTAVAIL) NAME(ENETDOWN) NAME(ENETUNREACH) NAME(ECONNABORTED) NAME(ECONNRESET) NAME(ENOBUFS) NAME(ENOTCONN)
    NAME(ETIMEDOUT) NAME(ECONNREFUSED) NAME(EHOSTDOWN) NAME(EHOSTUNREACH) NAME(ESTALE) NAME(EDQUOT) NAME(ECANCELED)
  }
  return NULL;
}

const char* sigabbrev_np(int number) {
  static const char* const names[] = {NULL,   "HUP",  "INT",  "QUIT", "ILL",    "TRAP", "ABRT", "BUS",  "FPE",  "KILL", "USR1",   "SEGV", "USR2", "PIPE", "ALRM", "TERM",
                                      "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS"};
  return number > 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

/* Before 2.29 there is no such action: whoever asks gets ENOSYS (src/machine/spawn.cpp then goes there by way of sh). */
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t* actions, const char* path) {
  int (*newer)(posix_spawn_file_actions_t*, const char*) =
      (int (*)(posix_spawn_file_actions_t*, const char*))dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addchdir_np");
  return newer ? newer(actions, path) : ENOSYS;
}

/* Before 2.34: each descriptor that is open now and would be inherited. One that another thread opens in between is missed; ours are all CLOEXEC. */
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t* actions, int first) {
  int (*newer)(posix_spawn_file_actions_t*, int) = (int (*)(posix_spawn_file_actions_t*, int))dlsym(RTLD_DEFAULT, "posix_spawn_file_actions_addclosefrom_np");
  if (newer) return newer(actions, first);
  DIR* open_now = opendir("/proc/self/fd");
  if (!open_now) return errno;
  int failed = 0;
  for (struct dirent* entry; !failed && (entry = readdir(open_now));) {
    int descriptor = atoi(entry->d_name), flags = entry->d_name[0] == '.' || descriptor < first ? -1 : fcntl(descriptor, F_GETFD);
    if (flags != -1 && !(flags & FD_CLOEXEC)) failed = posix_spawn_file_actions_addclose(actions, descriptor);
  }
  closedir(open_now);
  return failed;
}

static struct timespec plus(struct timespec a, struct timespec b, int sign) {
  long long nanoseconds = (a.tv_sec + sign * b.tv_sec) * 1000000000LL + a.tv_nsec + sign * b.tv_nsec;
  struct timespec sum = {nanoseconds / 1000000000LL, nanoseconds % 1000000000LL};
  return sum;
}

/* Before 2.30 only the clock of the day can be waited for: what is left is added to its time. If it is set meanwhile, a wait that ends early is begun
   again by the caller, who sees that the deadline is not there yet (a spurious wakeup is allowed). */
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const struct timespec* deadline) {
  typedef int (*Wait)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  static Wait newer;
  static int asked;
  if (!__atomic_load_n(&asked, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&newer, (Wait)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"), __ATOMIC_RELAXED);
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
  }
  Wait wait = __atomic_load_n(&newer, __ATOMIC_RELAXED);
  if (wait) return wait(condition, mutex, clock, deadline);
  struct timespec now, today;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &today);
  struct timespec left = plus(*deadline, now, -1);
  if (left.tv_sec < 0 || left.tv_nsec < 0) return ETIMEDOUT;
  struct timespec until = plus(today, left, 1);
  int result = pthread_cond_timedwait(condition, mutex, &until);
  if (result != ETIMEDOUT) return result;
  clock_gettime(clock, &now);
  left = plus(*deadline, now, -1);
  return left.tv_sec < 0 || left.tv_nsec < 0 || (left.tv_sec == 0 && left.tv_nsec == 0) ? ETIMEDOUT : 0;
}
