// SPDX-License-Identifier: Apache-2.0
// A channel among a few processes of one program: whole endpoints and the real part of an agent that knows where its ends are. Ends move while values flow,
// and each notice and each message that takes an end along is delivered when the seed says so.
//
//   Canal canal(seed, {.processes = 4, .kills = 1});
//   canal.run();
//   EXPECT_EQ(canal.failure(), "");
//
// What is held: all that was posted is retrieved in its order (CH-1); where a process is killed, what is retrieved is the beginning of that, and both ends hear
// of it (CH-5); nothing is lost, and none waits in vain, where a process ends that an end has left; nothing is left of the channel at last (CH-7); and nothing
// waits that could go on.
// Threading: run() by one thread.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <variant>

#include "kit/bare/machine.hpp"
#include "octavo/message/channel.hpp"
#include "process/endpoint.hpp"
#include "schedule/home/agent.hpp"
#include "schedule/turns.hpp"
#include "schedule/turns_clock.hpp"

namespace octavo::schedule {

struct CanalOptions {
  unsigned processes = 3;
  int moves = 6;  // of each end, at most
  std::uint64_t values = 60;
  int kills = 0;
  unsigned leaves = 0;   // so many processes end in good order, when neither end is there
  bool cancels = false;  // the reader stops at a value that the seed chooses
};

class Canal {
 public:
  Canal(std::uint64_t seed, const CanalOptions& options);
  ~Canal();
  Canal(const Canal&) = delete;
  Canal& operator=(const Canal&) = delete;
  void run();
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }

 private:
  // What ChannelWriter and ChannelReader are made of: those take deadlines from the machine's own clock.
  using Edge = std::shared_ptr<detail::ChannelEdge<std::string>>;
  struct Process {
    std::size_t number = 0;
    kit::BareSurroundings* around = nullptr;
    std::unique_ptr<TurnsClock> clock;
    std::unique_ptr<detail::Endpoint> endpoint;
    std::deque<control::Notice> said, told;      // to its agent, and by it, and not delivered yet
    std::deque<detail::WriterOnItsWay> writers;  // that are on their way here
    std::deque<detail::ReaderOnItsWay> readers;
    bool dead = false, reaped = false, end_to_hear = false, leaves = false;
    bool gives_writer = false, gives_reader = false;  // they are neither here nor on their way
    Edge writer, reader;
  };

  void fail(const std::string& what);
  [[nodiscard]] Process& process_of(const Address& who) { return processes_[who.object - 1]; }
  detail::PeerLink connect(kit::BareSurroundings& asking, const Address& to);
  void deliver();
  [[nodiscard]] std::vector<std::function<void()>> all_events();
  void live(Process& me);
  void take_ends(Process& me);
  void write(Process& me);
  void read(Process& me);
  // Null: to none, this time.
  [[nodiscard]] Process* next_holder();
  void end_writer(Process& me);
  void end_reader(Process& me);
  void kill_one();
  // True: it has ended.
  bool leave(Process& me);
  void is_gone(Process& one);
  void check_over();
  void end_all();

  const CanalOptions options_;
  Turns turns_;
  const std::uint64_t full_, lazy_, killing_, cancel_at_;
  kit::BareMachine machine_;
  std::unique_ptr<HomeAgent> agent_;
  std::deque<Process> processes_;
  std::uint64_t posted_ = 0, retrieved_ = 0;
  int moves_of_writer_ = 0, moves_of_reader_ = 0, killed_ = 0;
  unsigned left_ = 0, given_ = 0;  // `given_`: so many ends are on their way
  road::Clock::time_point over_since_;
  bool writer_over_ = false, reader_over_ = false, cancelled_ = false, over_ = false;
  std::string failure_;
};

}  // namespace octavo::schedule
