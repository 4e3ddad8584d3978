// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/ssh.hpp"

#include <algorithm>
#include <cctype>

#include "machine/engine/callers.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/engine/launcher.hpp"
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
    auto expected = callers.expect();
    const auto session = expected.session;
    engine::Invitation invitation{.machine = machine,
                                  .address = address,
                                  .port = callers.port(),
                                  .session = session.id,
                                  .silence_ms = terms_.silence.count(),
                                  .patience_ms = options_.patience.count(),
                                  .pool_bytes = terms_.pool_bytes,
                                  .ring_bytes = terms_.ring_bytes};
    engine::Launcher::Plan plan{.command = command.front(),
                                .place = address + " port " + std::to_string(callers.port()),
                                .patience = options_.patience,
                                .invite = [&callers, invitation](int input) { engine::write(input, callers.key(), invitation); },
                                .called = [&callers, session] { return callers.have(session); },
                                .give_up = [&callers, session](const std::string& why) { callers.give_up(session, why); }};
    launchers_.push_back(std::make_unique<engine::Launcher>(std::move(run), std::move(plan)));
    return std::move(expected.link);
  }

  void prepare(const AgentTerms& terms) override { terms_ = terms; }

  void end() override {
    for (auto& each : launchers_) each->ask_to_end();
    for (auto& [address, callers] : callers_) callers->send_away();
    launchers_.clear();
    callers_.clear();
  }

 private:
  [[nodiscard]] bool is_machine(const std::string& name) const { return std::ranges::find(machines_, name) != machines_.end(); }
  [[nodiscard]] std::string address_for(const std::string& machine) const {
    auto own = options_.addresses.find(machine);
    return address_on(own == options_.addresses.end() ? options_.address : own->second);
  }
  engine::Callers& callers_at(const std::string& address) {
    auto& callers = callers_[address];
    if (!callers) callers = std::make_unique<engine::Callers>(address, options_.port, terms_.silence);
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
  AgentTerms terms_;
  std::map<std::string, std::unique_ptr<engine::Callers>> callers_;  // by the address where they listen
  std::vector<std::unique_ptr<engine::Launcher>> launchers_;
};

}  // namespace

std::shared_ptr<Engine> ssh(std::vector<std::string> machines, SshOptions options) { return std::make_shared<Ssh>(std::move(machines), std::move(options)); }

}  // namespace octavo
