// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/ssh.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "machine/engine/callers.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// What goes through a remote shell unquoted, and through env: no pattern, no assignment.
bool is_plain(const std::string& word) {
  return !word.empty() && word.front() != '-' && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./:@%+,-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string ending_of(const siginfo_t& how) {
  return how.si_code == CLD_EXITED ? "ended with status " + std::to_string(how.si_status) : "was ended by signal " + std::to_string(how.si_status);
}

class Ssh final : public Engine {
 public:
  Ssh(std::vector<std::string> machines, SshOptions options) : machines_(std::move(machines)), options_(std::move(options)) {
    if (options_.address.empty())
      throw usage_error("an engine that starts agents by a command was given no address of this machine",
                        "Set SshOptions::address to one by which the others reach it (`ip addr`)");
    for (const auto& name : machines_)
      if (!is_plain(name)) throw usage_error("a machine cannot be called '" + name + "'", "Take letters, digits and any of . _ : @ -");
  }

  [[nodiscard]] std::vector<std::string> machines() const override { return machines_; }

  std::unique_ptr<road::Link> start_agent(const std::string& machine) override {
    if (std::find(machines_.begin(), machines_.end(), machine) == machines_.end()) throw usage_error("there is no machine '" + machine + "'");
    auto command = command_for(machine);
    if (!callers_) callers_ = std::make_unique<engine::Callers>(options_.address, options_.port, silence_);
    auto run = spawn::run_command(command);
    auto expected = callers_->expect(road::Clock::now() + options_.patience);
    try {
      engine::write(run.input.get(), callers_->key(),
                    {engine::invitation_version, machine, options_.address, callers_->port(), expected.session.id, silence_.count()});
    } catch (const io_error&) {  // it has ended already: its status says more
    }
    callers_->watch(run.pidfd.get(), [callers = callers_.get(), session = expected.session, name = command.front(), pidfd = run.pidfd.get()] {
      siginfo_t how{};
      if (::waitid(P_PIDFD, static_cast<id_t>(pidfd), &how, WEXITED | WNOWAIT) == 0)
        callers->give_up(session, "the command '" + name + "' that ran its agent " + ending_of(how));
    });
    agents_.push_back(std::move(run));
    return std::move(expected.link);
  }

  void keep_silence(std::chrono::milliseconds silence) override { silence_ = silence; }

  void end() override {
    for (auto& each : agents_) each.input.reset();
    callers_.reset();
    for (auto& each : std::exchange(agents_, {})) spawn::reap_soon(each.pid, each.pidfd, -each.pid);
  }

 private:
  [[nodiscard]] std::vector<std::string> command_for(const std::string& machine) const {
    std::string program = !options_.program.empty() ? options_.program : spawn::server_program();
    if (program.empty()) program = spawn::own_program();  // any program with a Runtime can be an agent
    if (!is_plain(program))
      throw usage_error("the agents' program has a path that no remote shell takes as it is: '" + program + "'", "Set SshOptions::program");
    std::vector<std::string> command = options_.shell;
    for (auto& word : command)
      if (auto at = word.find("{}"); at != std::string::npos) word.replace(at, 2, machine);
    for (const std::string& word : {std::string("env"), std::string(spawn::agent_variable) + "=call", program}) command.push_back(word);
    return command;
  }

  std::vector<std::string> machines_;
  SshOptions options_;
  std::chrono::milliseconds silence_{10000};
  std::vector<spawn::Command> agents_;
  std::unique_ptr<engine::Callers> callers_;
};

}  // namespace

std::shared_ptr<Engine> ssh(std::vector<std::string> machines, SshOptions options) { return std::make_shared<Ssh>(std::move(machines), std::move(options)); }

}  // namespace octavo
