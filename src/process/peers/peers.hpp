// SPDX-License-Identifier: Apache-2.0
// What this process has of its agent: who it is, its pool, its row of the status board, its connections; and the watch thread, which listens to the agent and
// to the ends of connections.
// Threading: as its parts say; the watch thread is its own.
#pragma once

#include <thread>

#include "octavo/road/shm.hpp"
#include "process/peers/object_threads.hpp"
#include "process/peers/surroundings.hpp"

namespace octavo::detail {

class Peers : NoCopy {
 public:
  // What this process is to its agent: the program, a process of its own, or an object on a thread of another's.
  enum class role : std::uint8_t { program, process, thread };

  // Hears who this process is; the agent's other notices wait until listen(). Throws gone_error.
  Peers(Fd control, role mine, std::shared_ptr<ObjectThreads> host);
  ~Peers();

  // Does `part`, and returns true, if nothing is under way between this process and that one; nothing begins meanwhile.
  using DoIfIdle = std::function<bool(const Address& who, const std::function<void()>& part)>;
  // Begins the watch thread. `each_round`: what it does four times in inquiry_patience() (process/inquiry/inquiry.hpp).
  // `agent_lost`: what the watch thread of a process of its own does then, and never returns from.
  using AgentLost = std::function<void(const OwnRow& row)>;
  void listen(DoIfIdle do_if_idle, std::function<void()> each_round, AgentLost agent_lost);
  // The watch thread has ended when this returns, and calls neither of these any more.
  void end_listening() noexcept;

  // For the parts of an endpoint.
  [[nodiscard]] Surroundings surroundings() { return {self_, named_, *pool_, *board_, *row_, *bell_, *links_, agent_, locks_, asked_to_passivate_}; }

 private:
  class Hearer;
  void run();
  bool hear();
  PeerLink connect(control::Received& received, const control::Connected& notice);
  std::shared_ptr<road::Connection> open_road(control::Received& received, const control::Connected& notice);
  void lose_agent();

  Fd control_, stop_;
  role role_;
  DoIfIdle do_if_idle_;
  std::function<void()> each_round_;
  AgentLost agent_lost_;
  std::shared_ptr<ObjectThreads> host_;
  AgentClient agent_;
  EndWatch ends_;
  ProcessFacts self_;
  std::optional<control::NamedHome> named_;
  std::shared_ptr<Pool> pool_;
  std::optional<StatusBoard> board_;
  std::optional<OwnRow> row_;
  std::unique_ptr<road::Doorbell> bell_;
  std::shared_ptr<LockClient> locks_;
  std::unique_ptr<LinkTable> links_;
  std::atomic<bool> asked_to_passivate_{false};
  std::thread thread_;
};

}  // namespace octavo::detail
