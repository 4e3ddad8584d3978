// SPDX-License-Identifier: Apache-2.0
// Programs of one home, each with its agent and one or two processes, which post to mailboxes of the home and read them, end, and are killed: whole endpoints,
// the real parts of agents (agent.hpp), and each notice delivered when the seed says so.
//
//   Town town(seed, {.programs = 3, .kills = 2});
//   town.run();
//   EXPECT_EQ(town.failure(), "");
//
// What is held: what the Ledger says, and that nothing waits that could go on. At the end process 0, which is never killed, reads what nobody reads.
// Threading: run() by one thread.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <string>

#include "kit/bare/machine.hpp"
#include "octavo/message/mailbox.hpp"
#include "process/endpoint.hpp"
#include "schedule/home/agent.hpp"
#include "schedule/home/ledger.hpp"
#include "schedule/turns.hpp"
#include "schedule/turns_clock.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::schedule {

inline constexpr std::array boxes{"ov://home/a", "ov://home/b"};
inline constexpr auto unread = "ov://home/c";  // posted to, and read by nobody

struct TownOptions {
  unsigned programs = 3;
  int actions = 30;       // of each process
  int kills = 0;          // of programs and objects, at most
  bool ends = false;      // some end of themselves
  int agents_killed = 0;  // lasting ones, at most
};

class Town {
 public:
  Town(std::uint64_t seed, const TownOptions& options);
  ~Town();
  Town(const Town&) = delete;
  Town& operator=(const Town&) = delete;
  void run();
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }

 private:
  struct Program {
    std::unique_ptr<HomeAgent> agent;  // null: it has ended
    std::shared_ptr<Wire> wire;        // to the lasting agent
  };
  struct Process {
    std::size_t number = 0, program = 0;
    bool is_object = false;
    kit::BareSurroundings* around = nullptr;
    std::unique_ptr<TurnsClock> clock;
    std::unique_ptr<detail::Endpoint> endpoint;
    std::deque<control::Notice> said, told;  // to its agent, and by it, and not delivered yet
    bool dead = false, destroyed = false, reaped = false, end_to_hear = false, rests = false;
    int round = 0;  // of posts at the end
    std::map<std::string, std::shared_ptr<detail::MailboxEndpoint<std::string>>> reads;
  };
  using Event = std::function<void()>;

  void fail(const std::string& what);
  void add_process(std::size_t program, bool is_object);
  detail::PeerLink connect(kit::BareSurroundings& asking, const Address& to);
  [[nodiscard]] Process& process_of(const Address& who) { return processes_[who.object - 1]; }
  [[nodiscard]] bool can_connect(const Process& me, const Process& other) const;
  [[nodiscard]] const Obituary* death_of(const Process& asking, const Address& who) const;
  // --- what comes (delivery.cpp) ---
  void deliver();
  [[nodiscard]] std::vector<Event> all_events();
  void add_events_of(Process& process, std::vector<Event>& events);
  void add_events_of(Program& program, std::vector<Event>& events);
  static void tell(Process& process);
  // --- ends ---
  void at_each_step();
  void kill(Process& process);
  void kill_one();
  void begin_lasting();
  void kill_lasting();
  void close(Process& process);
  void end(Process& process);
  void end_all();
  // --- what processes do (inhabitant.cpp) ---
  void live(Process& me);
  void act(Process& me);
  std::shared_ptr<detail::MailboxEndpoint<std::string>> box(const std::string& name);
  // True: it is posted, or will not be.
  bool post(Process& me, const std::string& name, bool may_wait);
  void take(Process& me, const std::string& name, road::Clock::duration patience);
  bool read(Process& me, const std::string& name);
  void take_all(Process& me);
  void rest(Process& me, const std::function<bool()>& until);
  void post_last(Process& me);
  void close_down(Process& me);
  void check_calm();
  void check_forgotten();
  [[nodiscard]] bool all_rest(int round) const;
  template <class Do>
  void in_time(Process& me, const char* what, const Do& work);

  const TownOptions options_;
  Turns turns_;
  const std::uint64_t full_, lazy_, killing_;  // how seldom there is no room, a notice comes at once, and something is killed
  kit::BareMachine machine_;
  Ledger ledger_;
  agent::fake::ReaderRecord readers_;  // that outlives lasting agents
  std::unique_ptr<HomeAgent> lasting_;
  std::deque<Program> programs_;
  std::deque<Process> processes_;
  std::uint32_t lasting_lives_ = 0;
  int killed_ = 0, round_ = 0;
  bool over_ = false;
  std::string failure_;
};

}  // namespace octavo::schedule
