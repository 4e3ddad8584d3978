// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/ssh.hpp"

#include <algorithm>

#include "machine/engine/called_engine.hpp"
#include "machine/host/interfaces.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"
#include "road/net/tls/host_and_port.hpp"

namespace octavo {

namespace {

// A command for each machine: ssh, or what SshOptions::shell says.
class Shell final : public engine::Launcher {
 public:
  Shell(std::vector<std::string> shell, std::string program) : shell_(std::move(shell)), program_(std::move(program)) {
    if (shell_.empty()) throw usage_error("no command was given that runs an agent", "Set SshOptions::shell, as {\"ssh\", \"{}\"}");
  }
  [[nodiscard]] std::string name() const override { return shell_.front(); }
  [[nodiscard]] spawn::Command launch(const std::vector<std::string>& machines) override {
    std::vector<std::string> command = shell_;
    for (auto& word : command)
      if (auto at = word.find("{}"); at != std::string::npos) word.replace(at, 2, machines.front());
    for (const std::string& word : {std::string("env"), engine::agent_told("call"), engine::agent_program(program_)}) command.push_back(word);
    return spawn::run_command(command);
  }

 private:
  std::vector<std::string> shell_;
  std::string program_;
};

road::ChosenLink link_of(const SshOptions& options) {
  const bool reachable = !options.address.empty() || !options.addresses.empty();
  return road::chosen_link(!options.link.empty() ? options.link : reachable ? "tls" : "ssh", reachable);
}

void check_options(const std::vector<std::string>& machines, const SshOptions& options, const road::LinkKind& kind) {
  const bool names_port = !options.address.empty() || !options.addresses.empty() || options.port != 0;
  if (!kind.needs_address && names_port)
    throw usage_error("an address or a port is given, and the link '" + std::string(kind.scheme) + "' uses none", "Leave it out, or take link=\"tls\"");
  if (kind.needs_address && options.address.empty())
    throw usage_error(
        "an engine that starts agents by a command was given no address of this machine",
        "Set SshOptions::address to one by which the others reach it, or to a network interface (`ip addr`); or take link=\"ssh\", which needs none");
  for (const auto& [machine, address] : options.addresses)
    if (std::ranges::find(machines, machine) == machines.end())
      throw usage_error("an address is given for '" + machine + "', which is none of the engine's machines");
}

}  // namespace

std::shared_ptr<Engine> ssh(std::vector<std::string> machines, SshOptions options) {
  const auto link = link_of(options);
  check_options(machines, options, *link.kind);
  auto launcher = std::make_unique<Shell>(options.shell, options.program);
  const auto patience = options.patience;
  auto place = [link, options = std::move(options)](const std::string& machine) {
    return link.place([&] {
      const auto own = options.addresses.find(machine);
      const auto& address = own == options.addresses.end() ? options.address : own->second;
      return road::host_and_port(address_on(address), options.port);
    });
  };
  return std::make_shared<engine::CalledEngine>(std::move(machines), std::move(launcher),
                                                engine::CalledEngine::Options{.place = std::move(place), .patience = patience});
}

}  // namespace octavo
