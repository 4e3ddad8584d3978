// SPDX-License-Identifier: Apache-2.0
#include "kit/peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace bench {

namespace {

std::system_error failure(const std::string& what) { return {errno, std::generic_category(), what}; }

// Open for both, so that neither side waits for the other to open it.
int named_pipe(const std::string& path, int more) {
  if (::mkfifo(path.c_str(), 0600) != 0) throw failure("making the named pipe " + path);
  int pipe = ::open(path.c_str(), O_RDWR | O_CLOEXEC | more);
  if (pipe < 0) throw failure("opening the named pipe " + path);
  return pipe;
}

void close_all(std::vector<int>& pipes) {
  for (int pipe : pipes) ::close(pipe);
  pipes.clear();
}

}  // namespace

double Peer::ask(const std::string& what, std::size_t bytes, long count) {
  if (!failed_.empty()) throw std::runtime_error(failed_);
  const bool first = pid_ < 0;
  if (first) start();
  const std::string request = what + " " + std::to_string(bytes) + " " + std::to_string(count) + "\n";
  for (int pipe : requests_)
    if (::write(pipe, request.data(), request.size()) != static_cast<ssize_t>(request.size())) fail("a question cannot be written");
  return answer(first ? starting : measuring);
}

void Peer::start() {
  auto name = (std::filesystem::temp_directory_path() / "octavo-peer-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw failure("making a folder for a peer");
  folder_ = name;
  for (int rank = 0; rank < ranks_; ++rank) requests_.push_back(named_pipe(folder_ + "/" + std::to_string(rank), 0));
  answers_ = named_pipe(folder_ + "/answers", O_NONBLOCK);
  run();
  end_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (end_ < 0) fail("its end cannot be watched");
}

void Peer::run() {
  std::vector<char*> arguments;
  arguments.reserve(command_.size() + 2);
  for (auto& word : command_) arguments.push_back(word.data());
  arguments.push_back(folder_.data());
  arguments.push_back(nullptr);
  const std::string log = folder_ + "/log";
  pid_ = ::fork();
  if (pid_ < 0) throw failure("starting " + command_.front());
  if (pid_ > 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // mpirun takes its ranks with it
  ::setpgid(0, 0);
  int none = ::open("/dev/null", O_RDONLY), out = ::open(log.c_str(), O_WRONLY | O_CREAT, 0600);
  ::dup2(none, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

double Peer::answer(std::chrono::milliseconds longest) {
  std::string text;
  auto deadline = std::chrono::steady_clock::now() + longest;
  while (text.empty() || text.back() != '\n') {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    std::array<pollfd, 2> waits{{{answers_, POLLIN, 0}, {end_, POLLIN, 0}}};
    if (left.count() <= 0 || ::poll(waits.data(), waits.size(), static_cast<int>(left.count())) == 0) fail("no answer in time");
    char part = 0;
    if (::read(answers_, &part, 1) == 1) text += part;
    else if (waits[1].revents != 0) fail("it ended");
  }
  return std::stod(text);
}

void Peer::fail(const std::string& why) {
  std::string words = last_words();
  failed_ = "failed: " + why + (words.empty() ? "" : " (" + words + ")");
  stop();
  throw std::runtime_error(failed_);
}

std::string Peer::last_words() const {
  std::ifstream log(folder_ + "/log");
  std::string last;
  for (std::string line; std::getline(log, line);)
    if (line.find_first_not_of(" -=\t") != std::string::npos) last = line;
  return last;
}

bool Peer::ends_within(std::chrono::milliseconds time) const {
  pollfd wait{end_, POLLIN, 0};
  return end_ >= 0 && ::poll(&wait, 1, static_cast<int>(time.count())) > 0;
}

// The end of its pipes asks it to go, then a signal: only a peer that keeps to neither is killed.
void Peer::stop() noexcept {
  close_all(requests_);
  if (pid_ > 0) {
    if (!ends_within(failed_.empty() ? ending : std::chrono::seconds(0))) ::kill(-pid_, SIGTERM);
    if (!ends_within(ending)) ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  for (int* each : {&answers_, &end_})
    if (*each >= 0) ::close(std::exchange(*each, -1));
  std::error_code left;
  if (!folder_.empty()) std::filesystem::remove_all(std::exchange(folder_, {}), left);
}

std::unique_ptr<Peer> installed_peer(const std::string& program, const std::string& packages, std::vector<std::string> before, int ranks,
                                     const std::vector<std::string>& after) {
  auto path = (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin" / program).string();
  if (!std::filesystem::exists(path)) return std::make_unique<Peer>("not installed: apt install " + packages + ", then build again");
  before.push_back(path);
  before.insert(before.end(), after.begin(), after.end());
  return std::make_unique<Peer>(std::move(before), ranks);
}

std::unique_ptr<Peer> open_mpi(int ranks, const std::vector<std::string>& options) {
  std::vector<std::string> command{"env", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", OCTAVO_OPENMPI_RUN, "--bind-to", "none",
                                   "-np", std::to_string(ranks)};
  command.insert(command.end(), options.begin(), options.end());
  return installed_peer("peer_openmpi", "openmpi-bin libopenmpi-dev", std::move(command), ranks);
}

}  // namespace bench
