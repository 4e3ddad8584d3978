// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/slurm.hpp"

#include <cstdlib>

#include "machine/engine/called_engine.hpp"
#include "machine/engine/slurm/allocation.hpp"
#include "machine/engine/slurm/srun.hpp"
#include "machine/host/interfaces.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"
#include "road/net/tls/host_and_port.hpp"

namespace octavo {

namespace {

// The address of this machine by which a node reaches it: that which is used to reach the node.
std::string address_for(const std::string& node, const std::string& chosen) {
  if (!chosen.empty()) return address_on(chosen);
  if (const auto found = address_towards(node); !found.empty()) return found;
  throw usage_error("it is not known by which address the nodes of the job reach this machine: '" + node + "' has no address here, or one that leads nowhere",
                    "Say it: SlurmOptions::address, or octavo.slurm(address=\"eth0\"), a network interface (`ip addr`) or a numeric address");
}

}  // namespace

std::shared_ptr<Engine> slurm(SlurmOptions options) {
  const auto link = road::chosen_link(options.link, /*reachable=*/true);
  if (link.kind->by_command)
    throw usage_error("the link '" + options.link + "' goes by a command for each machine, and one srun runs the agents of all nodes",
                      "Take link=\"tls\", or link=\"files:DIRECTORY\" where all nodes mount one");
  const auto job = engine::slurm::allocation([](const char* name) { return std::getenv(name); });
  auto launcher = std::make_unique<engine::slurm::Srun>(engine::slurm::Srun::Options{.args = options.args, .program = options.program});
  auto place = [options, link](const std::string& node) {
    return link.place([&] { return road::host_and_port(address_for(node, options.address), options.port); });
  };
  return std::make_shared<engine::CalledEngine>(job.others(), std::move(launcher),
                                                engine::CalledEngine::Options{.place = std::move(place), .patience = options.patience, .here = job.here});
}

}  // namespace octavo
