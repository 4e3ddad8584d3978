// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/daemon.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "machine/registry/private_directory.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::daemon {

namespace {

constexpr int tries = 3;  // another may end in the moment in which we find it
constexpr int backlog = 64;

// A path that is too long for a socket's name is reached by way of its directory's descriptor.
struct Door {
  Fd directory;
  sockaddr_un name{};
  explicit Door(const std::string& home) : directory(::open(home.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
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

std::unique_ptr<road::Link> reach(const std::string& home, const std::string& machine) {
  std::string at = private_directory(home.empty() ? default_home() : home);
  for (int i = 0;; ++i) {
    Fd socket = stream_socket();
    Door door(at);
    if (::connect(socket.get(), door.address(), sizeof door.name) == 0) return road::open_unix_link(std::move(socket));
    if ((errno != ENOENT && errno != ECONNREFUSED) || i == tries) throw io_error_from(errno, "reaching the lasting agent of '" + at + "'");
    auto server = spawn::server_program();
    spawn::run_lasting_agent(server.empty() ? spawn::own_program() : server, machine, at);  // returns when it listens, or another does
  }
}

bool take_seat(const std::string& home, Seat& seat) {
  Door door(home);
  seat.lock.reset(::openat(door.directory.get(), "agent.lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!seat.lock) throw io_error_from(errno, "opening '" + home + "/agent.lock'");
  if (::flock(seat.lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    throw io_error_from(errno, "locking '" + home + "/agent.lock'");
  }
  ::unlinkat(door.directory.get(), "agent.sock", 0);  // of one that was killed: nobody listens there, we have the lock
  seat.listening = stream_socket();
  mode_t before = ::umask(0177);
  int bound = ::bind(seat.listening.get(), door.address(), sizeof door.name);
  int error = errno;
  ::umask(before);
  if (bound != 0) throw io_error_from(error, "making '" + home + "/agent.sock'");
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
