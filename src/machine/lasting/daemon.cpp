// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/daemon.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sstream>

#include "machine/registry/private_directory.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::daemon {

namespace {

constexpr auto look_again = std::chrono::milliseconds(10);
constexpr int backlog = 64;

// A path that is too long for a socket's name is reached by way of its directory's descriptor.
struct SocketName {
  Fd directory;
  sockaddr_un name{};
  explicit SocketName(const std::string& home) : directory(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!directory) throw io_error_from(errno, "opening '" + home + "'");
    name.sun_family = AF_UNIX;
    std::string path = "/proc/self/fd/" + std::to_string(directory.get()) + "/agent.sock";
    std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  }
  [[nodiscard]] const sockaddr* address() const { return reinterpret_cast<const sockaddr*>(&name); }
};

Fd stream_socket() {
  Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made) throw io_error_from(errno, "making a socket");
  return made;
}

}  // namespace

std::string default_home() {
  if (const char* home = std::getenv("OCTAVO_HOME"); home != nullptr && *home != 0) return home;
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') return std::string(state) + "/octavo";
  const char* user = std::getenv("HOME");
  if (user == nullptr || *user != '/') throw usage_error("there is no place for names: neither OCTAVO_HOME nor HOME is set", "Set OCTAVO_HOME to a directory");
  return std::string(user) + "/.local/state/octavo";
}

namespace {

Fd open_lock(const SocketName& where, const std::string& home) {
  Fd lock(::openat(where.directory.get(), "agent.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock) throw io_error_from(errno, "opening '" + home + "/agent.lock'");
  return lock;
}

bool take(const Fd& lock, const std::string& home) {
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  throw io_error_from(errno, "locking '" + home + "/agent.lock'");
}

}  // namespace

void pause(const std::stop_token& stop) {
  std::mutex nobody;
  std::condition_variable_any stopped;
  std::unique_lock lock(nobody);
  stopped.wait_for(lock, stop, look_again, [] { return false; });
}

std::unique_ptr<road::Link> reach(const std::string& home, const std::string& machine, const std::stop_token& stop) {
  std::string at = private_directory(home.empty() ? default_home() : home);
  auto deadline = std::chrono::steady_clock::now() + patience + std::chrono::seconds(10);
  while (!stop.stop_requested()) {
    Fd socket = stream_socket();
    const timeval at_most{0, std::chrono::microseconds(look_again).count()};  // one that is stopped, and that many wait for, takes nobody
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &at_most, sizeof at_most);
    SocketName where(at);
    if (::connect(socket.get(), where.address(), sizeof where.name) == 0) return road::open_unix_link(std::move(socket));
    if (errno != ENOENT && errno != ECONNREFUSED && errno != EAGAIN) throw io_error_from(errno, "reaching the lasting agent of '" + at + "'");
    if (take(open_lock(where, at), at)) {  // and given back at once
      auto server = spawn::server_program();
      spawn::run_lasting_agent(server.empty() ? spawn::own_program() : server, machine, at);  // returns when it listens, or another is about to
      continue;
    }
    if (std::chrono::steady_clock::now() > deadline)
      throw timed_out("the lasting agent of '" + at + "' takes nobody, and has not ended for " + std::to_string(patience.count() + 10) + " s",
                      "See its log '" + at + "/agent.log'; `octavo ps` shows it");
    pause(stop);
  }
  throw gone_error("the Runtime ended before the lasting agent of '" + at + "' was reached");
}

bool is_there(const std::string& home) {
  std::string at = home.empty() ? default_home() : home;
  Fd lock(::open((at + "/agent.lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return lock && !take(lock, at);
}

void end_with_job(const std::string& home) noexcept {
  const char* job = std::getenv("SLURM_JOB_ID");
  if (job == nullptr) return;
  try {
    if (!is_there(home)) return;
    SocketName where(home.empty() ? default_home() : home);
    const Fd socket = stream_socket();
    ucred its{};
    socklen_t size = sizeof its;
    if (::connect(socket.get(), where.address(), sizeof where.name) != 0 || ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &its, &size) != 0) return;
    std::stringstream environment;
    environment << '\0' << std::ifstream("/proc/" + std::to_string(its.pid) + "/environ").rdbuf();
    const std::string own = std::string(1, '\0') + "SLURM_JOB_ID=" + job + '\0';
    if (environment.str().find(own) != std::string::npos) ::kill(its.pid, SIGTERM);
  } catch (const std::exception& e) {
    log_line(std::string("ending the lasting agent with its job: ") + e.what());
  }
}

bool take_seat(const std::string& home, Seat& seat) {
  SocketName where(home);
  seat.lock = open_lock(where, home);
  if (!take(seat.lock, home)) return false;
  ::unlinkat(where.directory.get(), "agent.sock", 0);  // of one that was killed: nobody listens there, we have the lock
  seat.listening = stream_socket();
  mode_t before = ::umask(0177);
  int bound = ::bind(seat.listening.get(), where.address(), sizeof where.name);
  int error = errno;
  ::umask(before);
  if (bound != 0) throw io_error_from(error, "making '" + home + "/agent.sock'");
  ::fcntl(seat.listening.get(), F_SETFL, O_NONBLOCK);
  if (::listen(seat.listening.get(), backlog) != 0) throw io_error_from(errno, "listening at '" + home + "/agent.sock'");
  return true;
}

std::unique_ptr<road::Link> accept_from(const Fd& listening) {
  Fd socket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket) return nullptr;
  try {
    return road::open_unix_link(std::move(socket));
  } catch (const error& e) {
    log_line(std::string("a connection was refused: ") + e.what());
    return nullptr;
  }
}

}  // namespace octavo::daemon
