// SPDX-License-Identifier: Apache-2.0
// Programs of one home, each with its agent and some processes, and the lasting agent with one: they ask for connections with each other, end and are killed,
// and what agents say to each other and to processes is delivered when the seed says so. The agents' parts are the real ones (home/agent.hpp), and so are
// the descriptors.
//
//   Programs programs(seed, {.kills = 2});
//   programs.run();
//   EXPECT_EQ(programs.failure(), "");
//
// What is held: what Process does, that in the end all living processes are connected, and that no descriptor is left.
// Threading: run() by one thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "schedule/connections/process.hpp"
#include "schedule/home/agent.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::schedule {

struct ProgramsOptions {
  int acts = 40;
  int kills = 0;          // of programs and objects, at most
  int agents_killed = 0;  // lasting ones, at most
  bool scarce = false;    // at times no descriptor is left for what comes
  bool far = false;       // some reach the lasting agent by a link that carries no descriptors
};

class Programs {
 public:
  Programs(std::uint64_t seed, const ProgramsOptions& options);
  void run();
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

 private:
  struct Program {
    std::unique_ptr<HomeAgent> agent;  // null: it has ended
    std::shared_ptr<Wire> wire;        // to the lasting agent
    bool shares_memory = true;
  };
  using Event = std::function<void()>;

  [[nodiscard]] std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  void fail(const std::string& what);
  void begin_lasting();
  std::unique_ptr<HomeAgent> make_agent(const agent::Identity& self);
  void add_process(HomeAgent& agent, std::size_t program, const Address& who);
  [[nodiscard]] HomeAgent* agent_of(const Process& process);
  void live();
  void settle();
  bool step();
  [[nodiscard]] std::vector<Event> all_events();
  void add_events_of(Process& process, std::vector<Event>& events);
  void add_events_of(Program& program, std::vector<Event>& events);
  void join(Program& program);
  void act();
  void ask(Process& by, const Process& to);
  void kill_one();
  void kill(Process& process);
  void kill_lasting();
  void check_rest();
  void check_channels();
  void connect_all();

  const ProgramsOptions options_;
  std::mt19937_64 random_;
  const std::uint64_t lazy_;               // how seldom something is delivered
  const std::vector<std::string> before_;  // descriptors
  Fd rows_;
  agent::fake::ReaderRecord readers_;
  std::unique_ptr<HomeAgent> lasting_;
  std::deque<Program> programs_;
  Process::All processes_;
  std::uint32_t lasting_lives_ = 0;
  int killed_ = 0;
  bool scarce_ = false;
  std::uint64_t steps_ = 0;
  std::string failure_;
};

}  // namespace octavo::schedule
