// SPDX-License-Identifier: Apache-2.0
// An engine (octavo/machine/engine.hpp) whose agents a launcher starts, and which call this program back: ssh and slurm are this one with launchers of their
// own.
//
//   return std::make_shared<engine::CalledEngine>(machines, std::make_unique<Here>(), engine::CalledEngine::Options{.place = ..., .patience = 20s});
//
// Threading: as every engine. Failure: as every engine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machine/engine/agent_command.hpp"
#include "machine/engine/among.hpp"
#include "machine/engine/callers.hpp"
#include "machine/engine/launcher.hpp"
#include "octavo/machine/engine.hpp"

namespace octavo::engine {

class CalledEngine : public Engine, public Among {
 public:
  struct Options {
    // Where the agent of a machine calls, as road::listen() takes it; the same for all of a launcher that begins all at once.
    std::function<std::string(const std::string& machine)> place;
    std::chrono::milliseconds patience{20'000};  // until its agent speaks; to call it then has a part of that (AC-2)
    std::string here = {};                       // what this machine is called among them, if it is one of them
  };
  CalledEngine(std::vector<std::string> machines, std::unique_ptr<Launcher> launcher, Options options);

  [[nodiscard]] std::vector<std::string> machines() const override { return machines_; }
  [[nodiscard]] std::string here() const override { return options_.here; }
  std::unique_ptr<road::Link> start_agent(const std::string& machine) override;
  void prepare(const AgentTerms& terms) override { terms_ = terms; }
  void end() override;

 private:
  // An agent that was begun with another one, and that nobody wanted yet.
  struct Waiting {
    std::unique_ptr<road::Link> link;
    AgentCommand* command = nullptr;
  };
  [[nodiscard]] std::vector<std::string> begun_with(const std::string& machine) const;
  void launch(const std::vector<std::string>& machines);
  Callers& callers_at(const std::string& place);

  std::vector<std::string> machines_;
  std::unique_ptr<Launcher> launcher_;
  Options options_;
  AgentTerms terms_;
  const road::ClusterKey key_ = road::ClusterKey::make();    // of all links, also of those between its agents
  std::map<std::string, std::unique_ptr<Callers>> callers_;  // by the address where they listen
  std::map<std::string, Waiting> waiting_;
  std::vector<std::unique_ptr<AgentCommand>> commands_;
};

}  // namespace octavo::engine
