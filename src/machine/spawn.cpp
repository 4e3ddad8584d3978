// SPDX-License-Identifier: Apache-2.0
#include "machine/spawn.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "octavo/base/error.hpp"

extern char** environ;

namespace octavo::spawn {

namespace {

// posix_spawn's two structs, freed at the end.
struct Actions {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  Actions() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~Actions() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

std::vector<std::string> environment_of_child() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, server_variable, std::strlen(server_variable)) != 0) variables.emplace_back(*entry);
  variables.push_back(std::string(server_variable) + "=" + std::to_string(control_descriptor));
  return variables;
}

}  // namespace

Started start(const std::vector<std::string>& command, const std::string& title) {
  if (command.empty()) throw usage_error("no program was given for " + title);
  const std::string& program = command.front();
  std::array<int, 2> control{-1, -1}, lines{-1, -1};
  auto failed = [&](int error) { return io_error_from(error, "starting '" + program + "' for " + title); };
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control.data()) != 0) throw failed(errno);
  Started started;
  started.control.reset(control[0]);
  Fd theirs(control[1]);
  if (::pipe2(lines.data(), O_CLOEXEC) != 0) throw failed(errno);
  started.error_lines.reset(lines[0]);
  Fd their_lines(lines[1]);
  ::fcntl(lines[0], F_SETFL, O_NONBLOCK);

  Actions actions;
  posix_spawn_file_actions_addopen(&actions.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions.files, their_lines.get(), STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions.files, theirs.get(), control_descriptor);
  posix_spawn_file_actions_addclosefrom_np(&actions.files, control_descriptor + 1);
  sigset_t none, restored;
  sigemptyset(&none);
  sigemptyset(&restored);
  sigaddset(&restored, SIGPIPE);
  posix_spawnattr_setsigmask(&actions.attributes, &none);
  posix_spawnattr_setsigdefault(&actions.attributes, &restored);
  posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  auto variables = environment_of_child();
  std::vector<char*> env;
  env.reserve(variables.size() + 1);
  for (auto& variable : variables) env.push_back(variable.data());
  env.push_back(nullptr);
  std::vector<std::string> words = command;
  words.push_back(title);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int error = ::posix_spawn(&started.pid, program.c_str(), &actions.files, &actions.attributes, arguments.data(), env.data());
  if (error != 0) throw failed(error);
  started.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, started.pid, 0)));
  if (!started.pidfd) throw failed(errno);
  return started;
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::string server_program() {
  namespace fs = std::filesystem;
  Dl_info library{};
  if (::dladdr(reinterpret_cast<void*>(&server_program), &library) == 0) return {};
  fs::path here = fs::canonical(library.dli_fname).parent_path();
  // Where it lies beside the library: in the build, installed, in a wheel.
  for (const char* place : {"octavo-server", "../bin/octavo-server", "../libexec/octavo/octavo-server", "../../libexec/octavo/octavo-server"})
    if (fs::exists(here / place)) return fs::canonical(here / place).string();
  return {};
}

}  // namespace octavo::spawn
