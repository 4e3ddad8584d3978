// SPDX-License-Identifier: Apache-2.0
#include "link/by_sftp.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kit/clock.hpp"
#include "kit/link/sftp_pair.hpp"

namespace bench {

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using Words = std::vector<std::string>;
constexpr std::string_view far_end = "--far-end-at";
constexpr int puts = 100;
constexpr auto patience = std::chrono::seconds(20);

// The words of an ssh as those of scp and sftp, which have another letter for the port.
Words as_words_of(const std::string& program, Words words) {
  words.front() = program;
  for (auto& word : words)
    if (word == "-p") word = "-P";
  words.pop_back();  // the host
  return words;
}

// In a session of its own, so that scp and sftp ask nobody.
octavo::RunningCommand run(const Words& words) { return octavo::spawn::run_command(words); }

void run_to_its_end(const Words& words) {
  const auto command = run(words);
  int status = 0;
  while (::waitpid(command.pid, &status, 0) < 0 && errno == EINTR) {}
  if (status != 0) throw std::runtime_error(words.front() + " ended with " + std::to_string(WEXITSTATUS(status)));
}

std::string file_of(const kit::TemporaryDirectory& place, std::size_t bytes) {
  const auto path = place.path() / "message";
  std::ofstream(path) << std::string(bytes, 'x');
  return path.string();
}

// Until a command that was told something says so; what else it says is of no interest.
void read_until(const octavo::Fd& output, std::string_view wanted) {
  std::string said;
  while (said.find(wanted) == std::string::npos) {
    pollfd poll{output.get(), POLLIN, 0};
    if (::poll(&poll, 1, std::chrono::milliseconds(patience).count()) != 1) throw std::runtime_error("sftp says nothing");
    char some[512];
    const auto n = ::read(output.get(), some, sizeof some);
    if (n <= 0 && errno != EAGAIN) throw std::runtime_error("sftp has ended");
    if (n > 0) said.append(some, static_cast<std::size_t>(n));
  }
}

}  // namespace

// The connection that scp shares, for as long as this lives.
class BySftp::Kept {
 public:
  Kept(const kit::Sshd& sshd, const std::string& socket) : words_(sshd.shell()) {
    words_.back() = "there";
    words_.insert(words_.end() - 1, {"-o", "ControlPath=" + socket});
    auto begin = words_;
    begin.insert(begin.end() - 1, {"-f", "-N", "-M"});
    run_to_its_end(begin);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    auto end = words_;
    end.insert(end.end() - 1, {"-q", "-O", "exit"});
    try {
      run_to_its_end(end);
    } catch (const std::exception&) {  // it has gone already
    }
  }
  [[nodiscard]] const Words& words() const { return words_; }

 private:
  Words words_;
};

BySftp::BySftp() = default;
BySftp::~BySftp() = default;

void be_sftp_end_if_asked(int argc, char** argv) {
  if (argc != 3 || argv[1] != far_end) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a killed program leaves its link as it is
  std::signal(SIGPIPE, SIG_IGN);       // NOLINT
  try {
    const auto link = road::dial(argv[2], road::ClusterKey::make(), road::Clock::now() + patience, kit::sftp_terms());
    serve_far_end(*link);
  } catch (const std::exception&) {  // the other side ends
    std::_Exit(0);
  }
}

NearEnd BySftp::link() const {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT
  const auto listener = road::listen("sftp://localhost:0 by " + kit::command_of(sshd_), road::ClusterKey::make(), kit::sftp_terms());
  const auto other = run({octavo::spawn::own_program(), std::string(far_end), listener->address()});  // it is reaped by the end of this program
  for (const auto begin = Clock::now(); Clock::now() - begin < patience;) {
    pollfd poll{listener->descriptor(), POLLIN, 0};
    ::poll(&poll, 1, 100);
    for (auto& called : listener->take()) return NearEnd(std::move(called));
  }
  throw std::runtime_error("the other end of a link by sftp has not called");
}

double BySftp::put_by_sftp(std::size_t bytes) const {
  auto words = as_words_of("sftp", sshd_.shell());
  words.emplace_back("there");
  const auto sftp = run(words);
  const auto from = file_of(place_, bytes), beside = (place_.path() / ".put").string(), to = (place_.path() / "put").string();
  const std::string ask = "put " + from + " " + beside + "\nrename " + beside + " " + to + "\npwd\n";
  const auto put = [&] {
    if (::write(sftp.input.get(), ask.data(), ask.size()) != static_cast<ssize_t>(ask.size())) throw std::runtime_error("sftp hears nothing");
    read_until(sftp.output, "working directory");
  };
  put();
  const auto begin = Clock::now();
  for (int i = 0; i < puts; ++i) put();
  return seconds_since(begin) / puts;
}

double BySftp::copy_by_scp(std::size_t bytes) const {
  auto words = as_words_of("scp", sshd_.shell());
  words.insert(words.end(), {"-q", file_of(place_, bytes), "there:" + (place_.path() / "copy").string()});
  const auto begin = Clock::now();
  run_to_its_end(words);
  return seconds_since(begin);
}

double BySftp::copy_by_a_kept_scp(std::size_t bytes) {
  if (!kept_) kept_ = std::make_unique<Kept>(sshd_, (place_.path() / "c").string());
  auto words = as_words_of("scp", kept_->words());
  words.insert(words.end(), {"-q", file_of(place_, bytes), "there:" + (place_.path() / "copy").string()});
  const auto begin = Clock::now();
  run_to_its_end(words);
  return seconds_since(begin);
}

}  // namespace bench
