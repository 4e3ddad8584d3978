// SPDX-License-Identifier: Apache-2.0
#include "kit/engines/surroundings.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "kit/link/tls_pair.hpp"
#include "octavo/base/error.hpp"

namespace octavo::kit {

namespace {

const std::filesystem::path kit = OCTAVO_KIT;

void run_in_shell(const std::string& command) {
  if (std::system(("(" + command + ") > /dev/null 2>&1").c_str()) != 0) throw io_error("'" + command + "' failed");  // NOLINT: of a test, with words of its own
}

bool is_there(const std::string& command) { return std::system(("command -v " + command + " > /dev/null 2>&1").c_str()) == 0; }  // NOLINT

std::uint16_t free_port() { return port_of(tcp_listener()); }

bool is_free(std::uint16_t port) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto address = ipv4("127.0.0.1", port);
  return ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

// The first of four that are free, below those that the kernel gives to other tests meanwhile.
std::uint16_t first_of_free_ports() {
  std::random_device random;
  for (;;) {
    const auto first = static_cast<std::uint16_t>(20'000 + random() % 12'000);
    if (is_free(first) && is_free(first + 1) && is_free(first + 2) && is_free(first + 3)) return first;
  }
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  auto pattern = (std::filesystem::temp_directory_path() / "octavo-engines-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw io_error_from(errno, "making a temporary directory");
  path_ = pattern;
}
TemporaryDirectory::~TemporaryDirectory() {
  std::error_code failed;
  std::filesystem::remove_all(path_, failed);
}

void Variables::set(const std::string& name, const std::string& value) {
  const char* before = std::getenv(name.c_str());
  before_.emplace(name, before == nullptr ? std::nullopt : std::optional<std::string>(before));
  ::setenv(name.c_str(), value.c_str(), 1);
}
Variables::~Variables() {
  for (const auto& [name, value] : before_) value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
}

Helper::Helper(const std::vector<std::string>& command) {
  const auto pipe = [] {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw io_error_from(errno, "running a helper");
    return std::pair{Fd(ends[0]), Fd(ends[1])};
  };
  auto [its_input, input] = pipe();
  auto [output, its_output] = pipe();
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its_input.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, its_output.get(), STDOUT_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int error = ::posix_spawnp(&pid_, words.front().c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw io_error_from(error, "running '" + words.front() + "'");
  input_ = std::move(input);
  output_ = std::move(output);
}
Helper::~Helper() {
  input_.reset();
  ::waitpid(pid_, nullptr, 0);
}

std::string Helper::line() {
  std::string line;
  for (char c = 0; ::read(output_.get(), &c, 1) == 1;) {
    if (c == '\n') return line;
    line += c;
  }
  throw io_error("a helper has ended, and said '" + line + "'");
}

std::string Sshd::missing() {
  if (::geteuid() != 0) return "only root starts a server for ssh that lets in by a key";
  return !is_there("ssh") || !is_there("/usr/sbin/sshd") ? "openssh-server and openssh-client are not installed" : "";
}

// Another may have taken the port by then: its server has another key.
Sshd::Sshd(const std::string& startups) : startups_(startups) {
  const std::string at = directory_.path().string();
  for (const char* key : {"host", "user"}) run_in_shell("ssh-keygen -q -t ed25519 -N '' -f " + at + "/" + key);
  run_in_shell("mkdir -p /run/sshd && (printf 'octavo-test ' && cat " + at + "/host.pub) > " + at + "/known");
  while (!begins_at(std::to_string(free_port()))) {}
}

bool Sshd::begins_at(const std::string& port) {
  const std::string at = directory_.path().string();
  port_ = port;
  std::filesystem::remove(at + "/log");
  std::ofstream(at + "/config") << "Port " << port_ << "\nListenAddress 127.0.0.1\nHostKey " << at << "/host\nAuthorizedKeysFile " << at
                                << "/user.pub\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nSubsystem sftp internal-sftp\nMaxStartups "
                                << startups_ << "\n";
  server_.emplace(std::vector<std::string>{"sh", "-c", "/usr/sbin/sshd -D -f \"$1/config\" -E \"$1/log\" & cat > /dev/null; kill $!; wait", "sshd", at});
  const auto listens = "ssh-keyscan -T 5 -t ed25519 -p " + port_ + " 127.0.0.1 | grep -qF \"$(cut -d ' ' -f 2 " + at + "/host.pub)\"";
  run_in_shell("for i in $(seq 300); do " + listens + " && exit 0; grep -q 'Cannot bind' " + at + "/log && exit 0; sleep 0.1; done; exit 1");
  return std::system(("grep -q 'Cannot bind' " + at + "/log").c_str()) != 0;  // NOLINT
}

std::vector<std::string> Sshd::shell() const {
  const std::string at = directory_.path().string();
  std::vector<std::string> words{"ssh", "-F", "none", "-p", port_, "-i", at + "/user"};
  for (const std::string& option : {std::string("BatchMode=yes"), std::string("IdentitiesOnly=yes"), std::string("HostName=127.0.0.1"),
                                    std::string("HostKeyAlias=octavo-test"), "UserKnownHostsFile=" + at + "/known"}) {
    words.emplace_back("-o");
    words.push_back(option);
  }
  words.emplace_back("{}");
  return words;
}

FakeSlurm::FakeSlurm() {
  const auto& at = directory_.path();
  std::filesystem::create_directories(at / "bin");
  std::filesystem::create_directories(at / "pids");
  std::filesystem::create_symlink(kit / "engines" / "fake_srun.py", at / "bin" / "srun");
  const char* path = std::getenv("PATH");
  variables_.set("PATH", (at / "bin").string() + ":" + (path == nullptr ? "" : path));
  variables_.set("SLURM_JOB_ID", "7");
  variables_.set("SLURM_JOB_NODELIST", "n[1-3]");
  variables_.set("SLURMD_NODENAME", "n1");
  variables_.set("SLURM_NTASKS", "48");  // as the allocation's options leave it
  variables_.set("FAKE_SRUN_PIDS", (at / "pids").string());
  variables_.set("FAKE_SRUN_LOG", (at / "told").string());
}

int FakeSlurm::pid_of(const std::string& node) const {
  int pid = -1;
  std::ifstream(directory_.path() / "pids" / node) >> pid;
  return pid;
}

std::string FakeSlurm::told() const {
  std::stringstream text;
  text << std::ifstream(directory_.path() / "told").rdbuf();
  return text.str();
}

std::string SlurmCluster::missing() {
  if (::geteuid() != 0) return "only root starts a cluster of Slurm";
  for (const char* each : {"slurmctld", "slurmd", "munged", "srun"})
    if (!is_there(each)) return std::string("slurm-wlm and munge are not installed: there is no ") + each;
  return "";
}

SlurmCluster::SlurmCluster() {
  daemons_.emplace(
      std::vector<std::string>{(kit / "engines" / "slurm_cluster.sh").string(), directory_.path().string(), std::to_string(first_of_free_ports())});
  if (const auto said = daemons_->line(); said != "ready") throw io_error("a cluster of Slurm says '" + said + "'");
  variables_.set("SLURM_CONF", configuration().string());
  const auto granted = directory_.path() / "granted";
  run_in_shell("salloc -N3 --overcommit --no-shell 2>&1 | sed -n 's/.*Granted job allocation //p' > " + granted.string());
  std::string job;
  std::ifstream(granted) >> job;
  if (job.empty()) throw io_error("salloc grants no job");
  variables_.set("SLURM_JOB_ID", job);
  variables_.set("SLURM_JOB_NODELIST", "n[1-3]");
}

}  // namespace octavo::kit
