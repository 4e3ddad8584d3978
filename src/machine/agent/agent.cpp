// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/agent.hpp"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <random>

#include "base/start_thread.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/engine/among.hpp"
#include "machine/host/host_name.hpp"
#include "machine/host/memory_limits.hpp"
#include "octavo/base/clock.hpp"

namespace octavo {

namespace {

std::uint64_t random_id() {
  std::random_device random;
  return static_cast<std::uint64_t>(random()) << 32 | random();
}

std::size_t ring_bytes(const AgentOptions& options) {
  return options.ring_bytes == 0 ? road::default_ring_bytes : static_cast<std::size_t>(options.ring_bytes);
}

}  // namespace

Agent::Agent(AgentOptions options) : loop_(std::make_unique<Loop>(std::move(options), nullptr, Fd(), nullptr)) {}
Agent::Agent(AgentOptions options, std::unique_ptr<road::Link> hub, std::shared_ptr<agent::SiblingWays> siblings)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(hub), Fd(), std::move(siblings))) {}
Agent::Agent(AgentOptions options, Fd listening) : loop_(std::make_unique<Loop>(std::move(options), nullptr, std::move(listening), nullptr)) {}
Agent::~Agent() = default;
Fd Agent::join() { return loop_->join(); }
void Agent::wait() { loop_->wait(); }
void Agent::retire() { loop_->retire(); }
void Agent::note_environment() { loop_->note_environment(); }
std::int64_t Agent::peak_bytes() const { return loop_->meter().peak(); }
std::int64_t Agent::peak_program_bytes() const { return loop_->meter().peak_program(); }

AgentOptions Agent::Loop::completed(AgentOptions options) {
  if (options.machine.empty()) options.machine = engine::name_here(options.engine.get());
  if (options.machine.empty()) options.machine = host_name();
  if (options.engine) options.engine->prepare({options.pool_bytes, options.ring_bytes, options.silence});  // where 0: as much as is right for each
  if (options.pool_bytes == 0) options.pool_bytes = default_pool_bytes(memory_under("/"), process_limits());
  else check_pool(options.pool_bytes);
  return options;
}

agent::Identity Agent::Loop::identity() const {
  if (!daemon_) return {random_id(), 1, options_.machine, false, now_seconds()};
  const auto id = daemon_->registry->agent_id();
  attempt("looking at what the registry keeps", [this] { daemon_->registry->forget_needless_variables(); });
  return {id, daemon_->registry->next_incarnation(), options_.machine, true, now_seconds()};
}

Agent::Loop::Loop(AgentOptions options, std::unique_ptr<road::Link> hub, Fd listening, std::shared_ptr<agent::SiblingWays> siblings)
    : options_(completed(std::move(options))),
      daemon_(listening ? std::make_unique<Daemon>(options_.home, std::move(listening)) : nullptr),
      self_(identity()),
      shared_(options_.pool_bytes,
              daemon_ ? agent_kind::lasting
              : hub   ? agent_kind::machine
                      : agent_kind::program,
              self_),
      children_(self_, daemon_ || hub ? 2 : 1, events_, shared_.slots, shared_.board, shared_.descriptors(), child_events()),
      reaper_(children_, shared_.board, agent::Reaper::status_of, end_events()),
      peers_(
          self_, deaths_, [this](std::function<void()> work) { events_.post(std::move(work)); }, link_opener(), peer_events()),
      routes_(self_, peers_, agent_starter(), postponer()),
      requesters_(children_, peers_, agent::Introducer(self_, children_, deaths_, shared_.board, ring_bytes(options_))),
      ways_{agent::DaemonFinder(around_finder()),
            agent::Siblings(
                self_, peers_, std::move(siblings), [this](std::function<void()> work) { events_.post(std::move(work)); }, around_siblings())},
      objects_(begin_names()),
      life_(self_, children_, peers_, routes_, objects_, events_, spawn::start_fork_server, spawn::start,
            [this](const std::string& program) { return shared_.sweeping.mark_for(program); }),
      introductions_(self_, children_, deaths_, routes_, watches_, passivation_, objects_,
                     [this](const agent::RequesterPtr& requester, const control::Connect& request) { return ways_.siblings.forward(requester, request); }),
      names_(routes_, passivation_, objects_, around_name_service()),
      messages_(self_, daemon_ ? &daemon_->readers : nullptr, routes_, peers_, deaths_),
      locks_(children_, shared_.lock_memory, [this](std::uint64_t slot) { return shared_.slots.is_taken(static_cast<unsigned>(slot)); }) {
  if (daemon_) events_.watch(daemon_->listening.get(), [this](std::uint32_t) { greet_guest(); });
  else if (hub == nullptr) begin_program();
  else peers_.meet(std::move(hub), "the hub", agent::peer_kind::hub);
  thread_ = start_thread("for the agent", [this] { run(); });
}

void Agent::Loop::begin_program() {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "starting the agent");
  joined_ = std::move(theirs);
  spawn::Started program;
  program.pid = ::getpid();
  program.control = std::move(ours);
  children_.adopt({{}, "the program", options_.machine, ::getpid(), now_seconds()}, std::move(program), 0, {}).keeps_children = options_.keep_children;
}

Agent::Loop::~Loop() {
  events_.stop();
  thread_.join();
}

void Agent::Loop::stop_waiting() {
  ended_ = true;
  ended_.notify_all();
}

void Agent::Loop::run() {
  pthread_setname_np(pthread_self(), "octavo-agent");
  events_.run([this] { return most_ms(); }, [this] { look_around(); });
  end_everything();
}

int Agent::Loop::most_ms() {
  const bool soon = options_.measure || !shared_.slots.all_clean() || reaper_.waits() || children_.lines_wait();
  const int most = soon ? 20 : daemon_ ? 1000 : -1, forks = life_.fork_servers().most_ms();
  return most < 0 || (forks >= 0 && forks < most) ? forks : most;
}

void Agent::Loop::look_around() {
  if (options_.measure) measure();
  shared_.slots.clean_again();
  reaper_.look_again();
  life_.fork_servers().look_again();
  children_.look_again();
  if (daemon_) look_at_use();
}

void Agent::Loop::measure() {
  std::vector<agent::MemoryMeter::Process> all;
  for (const auto& [object, child] : children_.all())
    all.push_back({object == 1, child.host == 0 ? child.run.pid : 0, deaths_.connections_of(child.listener())});
  meter_.sample(shared_.pool.resident_bytes(), options_.ring_bytes, all);
}

void Agent::Loop::end_everything() {
  life_.fork_servers().end_all();
  children_.begin_to_end();
  if (!daemon_) peers_.end_all();  // the end of its link ends an agent: while objects end here, they do there
  children_.end_all();
  shared_.sweeping.end_all();
  daemon_.reset();  // the program that told the lasting agent to end knows it by the end of its link: the directory may be removed then
  peers_.end_all();
  if (options_.engine) options_.engine->end();
}

}  // namespace octavo
