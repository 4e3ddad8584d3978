// SPDX-License-Identifier: Apache-2.0
#include "process/attached_endpoint.hpp"

namespace octavo::detail {

AttachedEndpoint::AttachedEndpoint(Fd control, Peers::role mine, runtime_reach reach, std::shared_ptr<ThreadHost> host, const FeatureList& features,
                                   Peers::AgentLost agent_lost)
    : host_(std::move(host)), peers_(std::move(control), mine, host_), endpoint_(peers_.surroundings(), reach, features) {
  peers_.listen([this](const Address& who, const std::function<void()>& work) { return endpoint_.calls().do_if_none_waits(who, work); },
                [this] { endpoint_.inquirer().round(); }, std::move(agent_lost));
}

AttachedEndpoint::~AttachedEndpoint() {
  endpoint_.end();
  peers_.end_listening();
}

}  // namespace octavo::detail
