// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/ssh.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>

#include "machine/engine/callers.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/host/interfaces.hpp"
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
                        "Set SshOptions::address to one by which the others reach it, or to a network interface (`ip addr`)");
    for (const auto& [machine, address] : options_.addresses)
      if (!is_machine(machine)) throw usage_error("an address is given for '" + machine + "', which is none of the engine's machines");
    for (const auto& name : machines_)
      if (!is_plain(name)) throw usage_error("a machine cannot be called '" + name + "'", "Take letters, digits and any of . _ : @ -");
  }

  [[nodiscard]] std::vector<std::string> machines() const override { return machines_; }

  std::unique_ptr<road::Link> start_agent(const std::string& machine) override {
    if (!is_machine(machine)) throw usage_error("there is no machine '" + machine + "'");
    auto command = command_for(machine);
    const std::string address = address_for(machine);
    auto& callers = callers_at(address);
    auto run = spawn::run_command(command);
    auto expected = callers.expect(road::Clock::now() + options_.patience);
    try {
      engine::write(run.input.get(), callers.key(), {engine::invitation_version, machine, address, callers.port(), expected.session.id, silence_.count()});
    } catch (const io_error&) {  // it has ended already: its status says more
    }
    callers.watch(run.pidfd.get(), [callers = &callers, session = expected.session, name = command.front(), pidfd = run.pidfd.get()] {
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
    callers_.clear();
    for (auto& each : std::exchange(agents_, {})) spawn::reap_soon(each.pid, each.pidfd, -each.pid);
  }

 private:
  [[nodiscard]] bool is_machine(const std::string& name) const { return std::ranges::find(machines_, name) != machines_.end(); }
  [[nodiscard]] std::string address_for(const std::string& machine) const {
    auto own = options_.addresses.find(machine);
    return address_on(own == options_.addresses.end() ? options_.address : own->second);
  }
  engine::Callers& callers_at(const std::string& address) {
    auto& callers = callers_[address];
    if (!callers) callers = std::make_unique<engine::Callers>(address, options_.port, silence_);
    return *callers;
  }
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
  std::map<std::string, std::unique_ptr<engine::Callers>> callers_;  // by the address where they listen
};

}  // namespace

std::shared_ptr<Engine> ssh(std::vector<std::string> machines, SshOptions options) { return std::make_shared<Ssh>(std::move(machines), std::move(options)); }

}  // namespace octavo
