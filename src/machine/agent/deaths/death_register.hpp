// SPDX-License-Identifier: Apache-2.0
// Which deaths an agent knows of, and which listeners hear of each: those that are connected with the process, and those that asked to be told.
//
//   DeathRegister deaths([](const Listener& who, const Obituary& of) { ... });
//   deaths.connect(Listener::process(7), address);      deaths.watch(Listener::agent(2), address);
//   deaths.enter(obituary);                              // each listener of that address, in this life of it, is told, once
//
// Threading: one. Failure: what `tell` throws is logged, and the others are told.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "octavo/machine/address.hpp"

namespace octavo::agent {

// A process of this agent, or another agent that it has a link with.
struct Listener {
  enum class kind : std::uint8_t { process, agent };
  static Listener process(std::uint64_t object) { return {kind::process, object}; }
  static Listener agent(std::uint64_t link) { return {kind::agent, link}; }

  kind what = kind::process;
  std::uint64_t number = 0;
  auto operator<=>(const Listener&) const = default;
};

class DeathRegister {
 public:
  using Tell = std::function<void(const Listener& who, const Obituary& of)>;
  explicit DeathRegister(Tell tell);

  void connect(const Listener& by, const Life& who);
  void watch(const Listener& by, const Life& who);
  // The listener itself is dead, or lost.
  void forget(const Listener& by);
  [[nodiscard]] std::vector<Listener> connected_with(const Address& who) const;
  [[nodiscard]] std::size_t connections_of(const Listener& by) const;

  void enter(const Obituary& obituary);
  // This agent was lost, and is there again in this incarnation: its processes live. None: whichever.
  void forget_lost(std::uint64_t agent, std::optional<std::uint32_t> incarnation = {});
  // Null: the death is not known, or forgotten; of a lasting address the last one is remembered.
  [[nodiscard]] const Obituary* find(const Life& who) const;

 private:
  struct Known {
    std::set<Life> connected, watched;
  };
  const Tell tell_;
  std::map<Listener, Known> listeners_;
  std::map<Address, Obituary> dead_;
};

}  // namespace octavo::agent
