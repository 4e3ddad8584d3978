// SPDX-License-Identifier: Apache-2.0
// A central directory, as the paper has it before its own way, and as pPython's broadcast uses one: a message and a lock file that all look for.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <octavo/base/fd.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "link/broadcast/broadcast.hpp"

namespace bench {

namespace {

constexpr int most_members = 64, most_broadcasts = broadcasts, pause_us = 1000;  // pPython's pause

// Between the processes: who has come, and when.
struct Shared {
  pthread_barrier_t all;
  double begins[most_broadcasts];
  double ends[most_members][most_broadcasts];
};

class Sharing {
 public:
  explicit Sharing(unsigned members) {
    void* got = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping what members share");
    shared_ = static_cast<Shared*>(got);
    pthread_barrierattr_t attributes;
    ::pthread_barrierattr_init(&attributes);
    ::pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    ::pthread_barrier_init(&shared_->all, &attributes, members);
  }
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;
  ~Sharing() { ::munmap(shared_, sizeof(Shared)); }
  Shared* operator->() const { return shared_; }

 private:
  Shared* shared_;
};

// Without allocating: this is a copy of a program with threads.
class Central {
 public:
  Central(int directory, int number) : directory_(directory) {
    ::snprintf(message_, sizeof message_, "m%d", number);
    ::snprintf(lock_, sizeof lock_, "m%d.lock", number);
  }
  void write() const {
    const char bytes[broadcast_bytes] = {};
    const octavo::Fd file(::openat(directory_, message_, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file || ::write(file.get(), bytes, sizeof bytes) != static_cast<ssize_t>(sizeof bytes)) ::_exit(1);
    const octavo::Fd made(::openat(directory_, lock_, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!made) ::_exit(1);
  }
  void read() const {
    struct stat facts {};
    char bytes[broadcast_bytes];
    while (::fstatat(directory_, lock_, &facts, 0) != 0) ::usleep(pause_us);
    for (;; ::usleep(pause_us)) {  // by sshfs a lock may be seen before its message
      const octavo::Fd file(::openat(directory_, message_, O_RDONLY | O_CLOEXEC));
      if (file && ::read(file.get(), bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes)) return;
    }
  }
  void remove() const {
    ::unlinkat(directory_, message_, 0);
    ::unlinkat(directory_, lock_, 0);
  }

 private:
  int directory_;
  char message_[16], lock_[24];
};

void take_part(Shared& shared, int rank, int directory, int first) {
  for (int i = 0; i < most_broadcasts; ++i) {
    const Central message(directory, first + i);
    ::pthread_barrier_wait(&shared.all);
    if (rank == 0) {
      shared.begins[i] = now_in_seconds();
      message.write();
    } else {
      message.read();
      shared.ends[rank][i] = now_in_seconds();
    }
    ::pthread_barrier_wait(&shared.all);
    if (rank == 0) message.remove();
  }
}

// The others wait for one that has failed: they are killed.
void wait_for(std::vector<pid_t> children) {
  bool failed = false;
  while (!children.empty()) {
    std::vector<octavo::Fd> ends;
    std::vector<pollfd> polls;
    for (const pid_t each : children) polls.push_back({ends.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, each, 0))).get(), POLLIN, 0});
    ::poll(polls.data(), polls.size(), -1);
    std::erase_if(children, [&](pid_t each) {
      int status = 0;
      if (::waitpid(each, &status, WNOHANG) != each) return false;
      failed = failed || status != 0;
      return true;
    });
    for (const pid_t each : children)
      if (failed) ::kill(each, SIGKILL);
  }
  if (failed) throw std::runtime_error("a member of a broadcast by a central directory failed");
}

}  // namespace

// They end with their input, and so with this program.
class BroadcastByCentral::Mounts {
 public:
  Mounts(const std::string& directory, int hosts) {
    auto shell = sshd_.shell();
    shell.pop_back();  // the host
    std::string ssh;
    for (const auto& word : shell) ssh += (ssh.empty() ? "" : " ") + word;
    for (int host = 0; host < hosts; ++host) {
      const auto& at = at_.emplace_back(std::make_unique<octavo::kit::TemporaryDirectory>())->path();
      const std::string script =
          "sshfs -f -o ssh_command=\"$1\" there:\"$2\" \"$3\" & while kill -0 $! && ! mountpoint -q \"$3\"; do sleep 0.05; done; "
          "mountpoint -q \"$3\" && echo mounted; cat; fusermount -u -z \"$3\"; wait";
      helpers_.push_back(std::make_unique<octavo::kit::Helper>(std::vector<std::string>{"sh", "-c", script, "sshfs", ssh, directory, at.string()}));
    }
    for (auto& each : helpers_) static_cast<void>(each->line());
  }
  [[nodiscard]] std::string path(int host) const { return at_.at(static_cast<std::size_t>(host))->path().string(); }

 private:
  octavo::kit::Sshd sshd_;
  std::vector<std::unique_ptr<octavo::kit::TemporaryDirectory>> at_;
  std::vector<std::unique_ptr<octavo::kit::Helper>> helpers_;
};

BroadcastByCentral::BroadcastByCentral(const Hosts& where, bool by_sshfs) : where_(where) {
  if (by_sshfs) mounts_ = std::make_unique<Mounts>(directory_.path().string(), where.hosts);
}
BroadcastByCentral::~BroadcastByCentral() = default;

std::string BroadcastByCentral::missing() {
  if (auto why = octavo::kit::Sshd::missing(); !why.empty()) return why;
  if (::access("/usr/bin/sshfs", X_OK) != 0) return "sshfs is not installed";
  return ::access("/dev/fuse", R_OK | W_OK) == 0 ? "" : "there is no /dev/fuse";
}

std::string BroadcastByCentral::seen_by(int host) const { return mounts_ ? mounts_->path(host) : directory_.path().string(); }

double BroadcastByCentral::seconds() {
  const int members = where_.all();
  if (members > most_members) throw std::invalid_argument("too many members");
  const Sharing sharing(static_cast<unsigned>(members));
  std::vector<octavo::Fd> directories;
  for (int host = 0; host < where_.hosts; ++host) directories.emplace_back(::open(seen_by(host).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const int first = std::exchange(next_, next_ + most_broadcasts);  // what was there lately is remembered by sshfs
  std::vector<pid_t> children;
  for (int rank = 0; rank < members; ++rank) {
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "starting a member");
    if (child > 0) {
      children.push_back(child);
      continue;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    take_part(*sharing.operator->(), rank, directories[static_cast<std::size_t>(rank / where_.members)].get(), first);
    ::_exit(0);
  }
  wait_for(children);
  std::vector<std::vector<double>> ends;
  for (int rank = 1; rank < members; ++rank) ends.emplace_back(sharing->ends[rank], sharing->ends[rank] + most_broadcasts);
  return median_until_last(std::vector<double>(sharing->begins, sharing->begins + most_broadcasts), ends);
}

}  // namespace bench
