// SPDX-License-Identifier: Apache-2.0
#include "data/target/target_lock.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <semaphore>
#include <thread>

#include "base/blocked_signals.hpp"
#include "data/target/unfinished.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int most_tries = 1000;  // each ends because another program has just let go of the lock

// A table of descriptors for this thread alone, with 0, 1 and 2. Where the system forbids it (an old seccomp filter), the thread shares on.
void own_descriptors() {
  if (::syscall(SYS_close_range, 3U, ~0U, static_cast<unsigned>(CLOSE_RANGE_UNSHARE)) == 0 || ::unshare(CLONE_FILES) != 0) return;
  DIR* listed = ::opendir("/proc/thread-self/fd");
  if (listed == nullptr) return;
  std::array<bool, 1024> open{};
  while (dirent* each = ::readdir(listed))
    if (int number = std::atoi(each->d_name); number > 2 && number != ::dirfd(listed) && number < static_cast<int>(open.size()))
      open[static_cast<std::size_t>(number)] = true;
  ::closedir(listed);
  for (std::size_t number = 0; number < open.size(); ++number)
    if (open[number]) ::syscall(SYS_close, static_cast<int>(number));
}

// Bare system calls: ThreadSanitizer would take the numbers of this thread's own table for the program's.
int open_at(int directory, const char* name, int flags) { return static_cast<int>(::syscall(SYS_openat, directory, name, flags, 0600)); }
void close_it(int descriptor) { ::syscall(SYS_close, descriptor); }

std::string holder_text() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(::getpid()) + " on " + host.data() + "\n";
}

// What the file says of its holder, which another program wrote: printable, and not long.
std::string holder_in(int file) {
  std::array<char, 200> text{};
  long got = ::syscall(SYS_pread64, file, text.data(), text.size(), 0L);
  std::string holder;
  for (long i = 0; i < got && text[static_cast<std::size_t>(i)] != '\n'; ++i)
    if (char c = text[static_cast<std::size_t>(i)]; c >= ' ' && c < 127) holder += c;
  return holder.empty() ? "" : " (" + holder + ")";
}

}  // namespace

// Holds the lock on a thread with a table of descriptors of its own.
class TargetLock::Keeper {
 public:
  Keeper(const std::string& directory, const std::string& name, const std::string& target) : directory_(directory), name_(name), target_(target) {
    auto result = taken_.get_future();
    {
      BlockedSignals none;
      thread_ = std::thread([this] { keep(); });
    }
    try {
      result.get();
    } catch (...) {
      thread_.join();
      throw;
    }
  }
  ~Keeper() {
    over_.release();
    thread_.join();
  }

 private:
  void keep() {
    int folder = -1, file = -1;
    try {
      own_descriptors();
      folder = open_at(AT_FDCWD, directory_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder < 0) throw io_error_from(errno, "opening the directory '" + directory_ + "'");
      file = acquire(folder);
      taken_.set_value();
    } catch (...) {
      if (folder >= 0) close_it(folder);
      return taken_.set_exception(std::current_exception());
    }
    over_.acquire();
    ::unlinkat(folder, name_.c_str(), 0);  // while the lock is held: no other program can have made another file of this name
    close_it(file);
    close_it(folder);
  }

  // The lock, held; `folder` is open.
  [[nodiscard]] int acquire(int folder) const {
    for (int i = 0; i < most_tries; ++i) {
      int file = open_at(folder, name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
      if (file < 0 && (errno == EINTR || errno == ESTALE || errno == ENOENT)) continue;
      if (file < 0) not_opened(folder, errno);
      try {
        if (locked(folder, file)) return file;
      } catch (...) {
        close_it(file);
        throw;
      }
      close_it(file);
    }
    throw refused("the target '" + target_ + "' is being made by other programs again and again", "Wait for them, or give another name");
  }

  // False if the file has lost its name meanwhile: the program that held the lock has ended, and has removed the file.
  [[nodiscard]] bool locked(int folder, int file) const {
    struct stat ours {
    }, there{};
    if (::fstatat(file, "", &ours, AT_EMPTY_PATH) != 0) throw io_error_from(errno, "looking at " + path());
    if (!S_ISREG(ours.st_mode)) throw refused(path() + ", by which the target is locked, is not a regular file", "Remove it, or give another name");
    if (ours.st_uid != ::geteuid()) of_another(ours.st_uid);
    // What is written below would be written to the file of the other name.
    if (ours.st_nlink > 1) throw refused(path() + ", by which the target is locked, has another name too", "Remove it, or give another name");
    if (::syscall(SYS_flock, file, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) return false;
      if (errno == EWOULDBLOCK)
        throw refused("the target '" + target_ + "' is being made by another program" + holder_in(file), "Wait for it, or give another name");
      int why = errno;
      ::unlinkat(folder, name_.c_str(), 0);  // no program can hold the file where there are no locks
      if (why == ENOLCK || why == EOPNOTSUPP || why == ENOSYS || why == EINVAL)
        throw refused("the file system of '" + directory_ + "' has no locks: two programs could make '" + target_ + "' at once",
                      "Mount it with locks, or put the target on another file system");
      throw io_error_from(why, "locking the target '" + target_ + "'");
    }
    if (::fstatat(folder, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 || there.st_ino != ours.st_ino || there.st_dev != ours.st_dev) return false;
    std::string holder = holder_text();
    ::syscall(SYS_ftruncate, file, 0L);
    ::syscall(SYS_pwrite64, file, holder.data(), holder.size(), 0L);  // for people only: the lock is held even where a full disk takes no text
    return true;
  }

  [[noreturn]] void of_another(uid_t user) const {
    throw refused("the target '" + target_ + "' is being made by another program, or was: " + path() + " belongs to user " + std::to_string(user),
                  "Wait for it, give another name, or have that user remove this file if none of their programs runs");
  }

  [[noreturn]] void not_opened(int folder, int why) const {
    struct stat there {};
    if (::fstatat(folder, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 && (why == EACCES || why == EPERM || why == ELOOP)) of_another(there.st_uid);
    throw io_error_from(why, "locking the target '" + target_ + "' by " + path());
  }

  [[nodiscard]] std::string path() const { return "'" + directory_ + "/" + name_ + "'"; }
  const std::string directory_, name_, target_;
  std::promise<void> taken_;
  std::binary_semaphore over_{0};
  std::thread thread_;
};

TargetLock TargetLock::of(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path whole = absolute_target(path);
  std::error_code failed;
  fs::create_directories(whole.parent_path(), failed);
  auto directory = failed ? fs::path() : fs::canonical(whole.parent_path(), failed);
  if (failed) throw io_error_from(failed.value(), "making the directory '" + whole.parent_path().string() + "'");
  return {directory.string(), lock_name(whole.filename().string()), path};
}

TargetLock::TargetLock() noexcept = default;
TargetLock::TargetLock(const std::string& directory, const std::string& name, const std::string& target)
    : keeper_(std::make_unique<Keeper>(directory, name, target)) {}
TargetLock::TargetLock(TargetLock&&) noexcept = default;
TargetLock& TargetLock::operator=(TargetLock&&) noexcept = default;
TargetLock::~TargetLock() = default;

}  // namespace octavo
