// SPDX-License-Identifier: Apache-2.0
#include "machine/spawn.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "machine/host/descriptor_limit.hpp"
#include "machine/kept_variables.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

extern char** environ;

namespace octavo::spawn {

std::vector<std::string> variables_of_ours() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, server_variable, std::strlen(server_variable)) != 0 &&
        std::strncmp(*entry, fork_server_variable, std::strlen(fork_server_variable)) != 0 &&
        std::strncmp(*entry, agent_variable, std::strlen(agent_variable)) != 0 && std::strncmp(*entry, sweeper_variable, std::strlen(sweeper_variable)) != 0)
      variables.emplace_back(*entry);
  return variables;
}

namespace {

// Why what was to run in this directory may have ended at once, without a word where that was to be written there; 0: nothing is known.
int trouble_at(const std::string& directory) {
  struct statvfs found {};
  return ::statvfs(directory.c_str(), &found) == 0 && found.f_blocks > 0 && found.f_bavail == 0 ? ENOSPC : 0;
}

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
  // These, and that the child begins with signals as every program does, whatever this thread has blocked and ignores. The two that glibc has for its threads
  // (32 and 33) it would ignore there, and what the child starts as well; sigaddset() does not take them.
  void set_flags(int more) {
    constexpr std::uint64_t of_glibc = 3ULL << 31;
    sigset_t none, restored;
    sigemptyset(&none);
    sigemptyset(&restored);
    std::memcpy(&restored, &of_glibc, sizeof of_glibc);
    sigaddset(&restored, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &restored);
    posix_spawnattr_setflags(&attributes, static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | more));
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;
};

// What is said to the child instead of what was said to us.
std::vector<std::string> environment_with(const char* variable, const std::string& value, std::vector<std::string> variables = variables_of_ours()) {
  variables.push_back(std::string(variable) + "=" + value);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Launch {
  std::vector<std::string> command, environment;
  int control = -1, errors = -1;  // what the child gets as control_descriptor and standard error (-1: ours)
  std::string directory;          // empty: ours
  bool own_session = false;       // it outlives us: no terminal of ours reaches it, and it writes to `errors` alone
};

// Its reading end, and its writing end.
std::pair<Fd, Fd> pipe_pair(const std::string& doing) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw io_error_from(errno, doing);
  return {Fd(ends[0]), Fd(ends[1])};
}

// 0, or the errno.
int launch(Launch what, pid_t& pid) {
  Actions actions;
  posix_spawn_file_actions_addopen(&actions.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (what.errors >= 0) posix_spawn_file_actions_adddup2(&actions.files, what.errors, STDERR_FILENO);
  if (what.own_session)
    posix_spawn_file_actions_adddup2(&actions.files, what.errors, STDOUT_FILENO);  // a program that reads our output waits until all writers have closed it
  posix_spawn_file_actions_adddup2(&actions.files, what.control, control_descriptor);
  posix_spawn_file_actions_addclosefrom_np(&actions.files, control_descriptor + 1);
  if (!what.directory.empty()) {
    int error = posix_spawn_file_actions_addchdir_np(&actions.files, what.directory.c_str());
    if (error == ENOSYS)  // glibc before 2.29, which a wheel may meet (tools/wheel/newer_glibc.c)
      what.command.insert(what.command.begin(), {"/bin/sh", "-c", "cd -- \"$0\" && exec \"$@\"", what.directory});
    else if (error != 0) return error;
  }
  actions.set_flags(what.own_session ? POSIX_SPAWN_SETSID : 0);
  auto arguments = pointers_to(what.command), environment = pointers_to(what.environment);
  const int error = ::posix_spawn(&pid, what.command.front().c_str(), &actions.files, &actions.attributes, arguments.data(), environment.data());
  if (error == 0) DescriptorLimit::own().give_back(pid);
  return error;
}

}  // namespace

Ends make_ends(const std::string& doing) {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, doing);
  auto [lines, their_lines] = pipe_pair(doing);
  ::fcntl(lines.get(), F_SETFL, O_NONBLOCK);
  DescriptorLimit::own().make_room(their_lines.get());
  return {{-1, {}, std::move(ours), std::move(lines)}, std::move(theirs), std::move(their_lines)};
}

namespace {
// The pidfd of a child that was started just now. Where it cannot be watched it is ended, and io_error thrown.
Fd watch(pid_t pid, const std::string& program, const std::string& title) {
  Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (pidfd) return pidfd;
  const int error = errno;
  if (error == ESRCH)  // nothing is killed: the pid may be another's by now
    throw io_error("'" + program + "', started for " + title + ", has ended and was reaped before it could be watched",
                   "This program ignores SIGCHLD, or waits for children that it did not start");
  ::kill(pid, SIGKILL);
  reap(pid);
  throw io_error_from(error, "starting '" + program + "' for " + title);
}
}  // namespace

Started start(const std::vector<std::string>& command, const std::string& title, const std::string& directory, const std::vector<std::string>& environment) {
  if (command.empty()) throw usage_error("no program was given for " + title);
  const std::string& program = command.front();
  const std::string doing = "starting '" + program + "' for " + title;
  auto [started, theirs, their_lines] = make_ends(doing);

  auto variables = environment_with(server_variable, std::to_string(control_descriptor), environment.empty() ? variables_of_ours() : environment);
  Launch what{command, std::move(variables), theirs.get(), their_lines.get(), directory, false};
  what.command.push_back(title);
  if (const int error = launch(std::move(what), started.pid); error != 0) throw io_error_from(error, doing);
  started.pidfd = watch(started.pid, program, title);
  return std::move(started);
}

Started start_fork_server(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
  const std::string title = "the objects that it forks for", doing = "starting '" + command.front() + "' for " + title;
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, doing);
  Started started{-1, {}, std::move(ours), {}};
  Launch what{command, environment_with(fork_server_variable, std::to_string(control_descriptor), environment), theirs.get(), -1, {}, false};
  what.command.emplace_back("octavo: waits to be forked, for each object of a program that is made in a process of its own");
  if (const int error = launch(std::move(what), started.pid); error != 0) throw io_error_from(error, doing);
  started.pidfd = watch(started.pid, command.front(), title);
  return started;
}

Started start_sweeper(std::uint64_t agent) {
  std::string program = server_program();
  if (program.empty()) program = own_program();
  const std::string title = "ends what objects have started", doing = "starting '" + program + "', which " + title;
  auto [theirs, ours] = pipe_pair(doing);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!nowhere) throw io_error_from(errno, doing);
  Started started;
  started.control = std::move(ours);
  auto variables = environment_with(sweeper_variable, std::to_string(agent) + " " + std::to_string(::getpid()));
  const Launch what{{program, "octavo: " + title}, std::move(variables), theirs.get(), nowhere.get(), {}, true};
  if (const int error = launch(what, started.pid); error != 0) throw io_error_from(error, doing);
  started.pidfd = watch(started.pid, program, title);
  return started;
}

void discard(const Started& started) noexcept {
  if (!started.error_lines) return;  // it has no process of its own
  ::kill(started.pid, SIGKILL);
  reap(started.pid);
}

void reap(pid_t pid) noexcept {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {}
}

void reap_soon(pid_t pid, const Fd& pidfd, pid_t or_kill) noexcept {
  constexpr int patience_ms = 5000;
  pollfd dead{pidfd.get(), POLLIN, 0};
  if (::poll(&dead, 1, patience_ms) != 1) ::kill(or_kill, SIGKILL);  // it is stopped, or stuck
  reap(pid);
}

std::vector<std::string> own_environment() {
  constexpr std::size_t most_each = 4000, most_in_all = 48 << 10;  // what a notice to an agent takes
  std::vector<std::string> variables;
  std::string left_out;
  std::size_t bytes = 0;
  for (auto& each : kept_variables(variables_of_ours())) {
    std::size_t size = each.size() + 2 * sizeof(std::uint64_t);
    if (each.size() > most_each || bytes + size > most_in_all) {
      left_out += " " + each.substr(0, each.find('='));
      continue;
    }
    bytes += size;
    variables.push_back(std::move(each));
  }
  if (!left_out.empty()) log_line("the environment is too large to be kept with a name; left out:" + left_out.substr(0, 1000));
  return variables;
}

pid_t start_agent(const std::string& program, const std::string& how, const std::string& machine, const std::string& home, const Fd& link) {
  pid_t pid = -1;
  int error = launch({{program, "octavo:agent of " + machine}, environment_with(agent_variable, how), link.get(), -1, home, false}, pid);
  if (error != 0) throw io_error_from(error, "starting '" + program + "' as the agent of " + machine);
  return pid;
}

Command run_command(const std::vector<std::string>& command, const std::function<bool(std::string_view name)>& leave_out) {
  if (command.empty()) throw usage_error("no command was given that runs an agent");
  const std::string doing = "running '" + command.front() + "'";
  auto [its_input, input] = pipe_pair(doing);
  auto [output, its_output] = pipe_pair(doing);
  auto [errors, its_errors] = pipe_pair(doing);
  for (const Fd* each : {&output, &errors}) ::fcntl(each->get(), F_SETFL, O_NONBLOCK);
  Command run{-1, {}, std::move(input), std::move(output), std::move(errors)};
  Actions actions;
  posix_spawn_file_actions_adddup2(&actions.files, its_input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions.files, its_output.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions.files, its_errors.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions.files, STDERR_FILENO + 1);
  posix_spawnattr_setpgroup(&actions.attributes, 0);
  actions.set_flags(POSIX_SPAWN_SETPGROUP);
  auto words = command, variables = variables_of_ours();
  if (leave_out) std::erase_if(variables, [&](const std::string& each) { return leave_out(std::string_view(each).substr(0, each.find('='))); });
  auto arguments = pointers_to(words), environment = pointers_to(variables);
  int error = ::posix_spawnp(&run.pid, command.front().c_str(), &actions.files, &actions.attributes, arguments.data(), environment.data());
  if (error != 0) throw io_error_from(error, doing);
  DescriptorLimit::own().give_back(run.pid);
  run.pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, run.pid, 0)));
  if (!run.pidfd) throw io_error_from(errno, doing);
  return run;
}

void run_lasting_agent(const std::string& program, const std::string& machine, const std::string& home) {
  std::string doing = "starting '" + program + "' as the lasting agent of '" + home + "'", log = home + "/agent.log";
  auto [ours, theirs] = pipe_pair(doing);
  Fd lines(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!lines) throw io_error_from(errno, doing + ": opening '" + log + "'");
  pid_t pid = -1;
  int error = launch(
      {{program, "octavo:lasting agent of " + machine}, environment_with(agent_variable, "last " + machine), theirs.get(), lines.get(), home, true}, pid);
  if (error != 0) throw io_error_from(error, doing);
  theirs.reset();
  reap(pid);  // it leaves the agent to itself at once
  char said = 0;
  ssize_t n = 0;
  while ((n = ::read(ours.get(), &said, 1)) < 0 && errno == EINTR) {}
  if (n == 1) return;
  doing += ": it ended at once";
  error = trouble_at(home);
  if (error != 0) throw io_error_from(error, doing);
  throw io_error(doing, "See the end of '" + log + "'");
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
