// SPDX-License-Identifier: Apache-2.0
// The agent's thread: one epoll loop over control sockets, pidfds and standard errors.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <thread>

#include "machine/child.hpp"
#include "machine/control.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/shm.hpp"

namespace octavo {

class Agent::Loop {
 public:
  explicit Loop(AgentOptions options);
  ~Loop();
  Fd join();
  std::atomic<std::int64_t> peak{0}, peak_program{0};

 private:
  enum class source : std::uint8_t { stop, control, death, lines };
  void run();
  void watch(int descriptor, source what, std::uint64_t object) const;
  void handle(source what, std::uint64_t object);
  void hear(Child& from);
  void obey(Child& from, control::Received& received);
  void spawn_for(Child& asker, const control::Spawn& wish);
  void connect_for(Child& asker, const control::Connect& wish);
  Child& begin_process(const control::Spawn& wish);
  Child& begin_thread(Child& asker, const control::Spawn& wish);
  void introduce(Child& asker, Child& other, std::uint64_t request);
  void bury(std::uint64_t object);
  void bury_thread(Child& child);
  void bury_with(std::uint64_t host, const Obituary& of_host);
  void enter_death(Obituary obituary);
  void tell_of(const Obituary& obituary, const std::set<Address>& who);
  void kill_for(Child& asker, const control::Kill& wish);
  void end_everything();
  void measure();
  Child& adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host);
  [[nodiscard]] unsigned free_slot() const;

  AgentOptions options_;
  Fd epoll_, stop_, joined_;
  std::uint64_t id_;
  std::uint64_t next_object_ = 1, meetings_ = 0;
  std::unique_ptr<Pool> pool_;
  std::map<std::uint64_t, Child> children_;  // the program is object 1
  std::map<std::uint64_t, Obituary> dead_;
  std::thread thread_;
};

}  // namespace octavo
