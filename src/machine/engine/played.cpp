// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "machine/engine/played_role.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/machine/engine.hpp"

namespace octavo {

namespace {

class Played final : public Engine {
 public:
  Played(std::vector<std::string> machines, std::string directory) : machines_(std::move(machines)), directory_(std::move(directory)) {}

  [[nodiscard]] std::vector<std::string> machines() const override { return machines_; }

  std::unique_ptr<road::Link> start_agent(const std::string& machine) override {
    if (std::find(machines_.begin(), machines_.end(), machine) == machines_.end()) throw usage_error("there is no machine '" + machine + "'");
    if (directory_.empty()) make_temporary();
    std::filesystem::path home = std::filesystem::absolute(directory_) / machine;
    std::error_code failed;
    std::filesystem::create_directories(home, failed);
    if (failed) throw io_error_from(failed.value(), "making '" + home.string() + "', where machine " + machine + " works");
    auto [ours, theirs] = socket_pair(SOCK_STREAM, "starting the agent of " + machine);
    const engine::PlayedRole role{machine, terms_, temporary_ ? ::getpid() : 0};
    agents_.push_back(spawn::start_agent(agent_program(), engine::text_of(role), machine, home.string(), theirs));
    return road::open_unix_link(std::move(ours));
  }

  void prepare(const AgentTerms& terms) override { terms_ = terms; }

  void end() override {
    if (temporary_)
      for (pid_t agent : agents_) ::kill(agent, engine::ends_in_order_signal);
    for (pid_t agent : std::exchange(agents_, {})) {
      const Fd end(static_cast<int>(::syscall(SYS_pidfd_open, agent, 0)));
      spawn::reap_soon(agent, end, agent);
    }
    if (!std::exchange(temporary_, false)) return;
    std::error_code failed;
    std::filesystem::remove_all(std::exchange(directory_, {}), failed);
    if (failed) log_line("the temporary directory of the played machines could not be removed: " + failed.message());
  }

 private:
  // Not before an agent needs it: every server of the program makes an engine too, and starts nothing by it.
  void make_temporary() {
    std::error_code failed;
    auto pattern = (std::filesystem::temp_directory_path(failed) / "octavo-played-XXXXXX").string();
    if (failed || ::mkdtemp(pattern.data()) == nullptr)
      throw io_error_from(failed ? failed.value() : errno, "making a temporary directory '" + pattern + "' for the played machines");
    directory_ = pattern;
    temporary_ = true;
  }
  static std::string agent_program() {
    auto server = spawn::server_program();
    return server.empty() ? spawn::own_program() : server;  // any program with a Runtime can be one
  }
  std::vector<pid_t> agents_;
  std::vector<std::string> machines_;
  std::string directory_;
  AgentTerms terms_;
  bool temporary_ = false;
};

}  // namespace

std::shared_ptr<Engine> played(std::vector<std::string> machines, const std::string& directory) {
  return std::make_shared<Played>(std::move(machines), directory);
}

}  // namespace octavo
