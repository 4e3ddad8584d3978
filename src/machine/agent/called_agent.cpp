// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/called_agent.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "machine/agent/siblings/link_ways.hpp"
#include "machine/engine/hail.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/road/steady_link.hpp"
#include "road/net/kinds/link_kinds.hpp"

namespace octavo::agent {

namespace {

constexpr unsigned invitation_seconds = 60;  // its program answers at once, if it is there

void say(const std::string& text) {
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw io_error_from(errno, "saying on standard output that this is an agent");
}

// A terminal would show the key, and may keep it.
void refuse_terminal() {
  if (::isatty(STDIN_FILENO) == 0) return;
  const std::string why = "its standard input is a terminal";
  say(engine::refusal(why));
  throw refused("no key is taken: " + why, "Start it without one: ssh without -t, kubectl exec -i, docker exec -i");
}

engine::Invitation ask_for_invitation(const std::string& machine, road::ClusterKey& key) {
  refuse_terminal();
  say(engine::answer(machine));
  ::alarm(invitation_seconds);  // where the program is gone, and something else holds this input open
  auto said = engine::read(STDIN_FILENO, key);
  ::alarm(0);
  return said;
}

// Which of those that are invited this agent is: the only one, or the one with its name.
std::uint32_t own_index(const engine::Invitation& said, const std::string& machine) {
  if (machine.empty() && said.agents.size() == 1) return 0;
  for (std::uint32_t i = 0; i < said.agents.size(); ++i)
    if (said.agents[i].machine == machine) return i;
  throw refused("nobody called '" + machine + "' is invited", "Install the same Octavo on both machines");
}

// Calls the program; until it was reached once, as long as its patience lasts.
class Call {
 public:
  Call(engine::Invitation said, std::string machine, const road::ClusterKey& key)
      : said_(std::move(said)),
        machine_(std::move(machine)),
        key_(key),
        carrier_{.silence = engine::carrier_silence(std::chrono::milliseconds(said_.silence_ms)),
                 .machine = machine_,
                 .run = [](const std::vector<std::string>& words) { return spawn::run_command(words); }},
        until_(road::Clock::now() + std::chrono::milliseconds(said_.patience_ms)) {}

  std::unique_ptr<road::Link> make() {
    try {
      if (reached_ && by_command()) throw refused("the connection that its command carried has ended");
      auto link = road::dial(said_.where, key_, deadline(), carrier_);
      reached_ = true;
      return link;
    } catch (const refused&) {
      throw;
    } catch (const error& e) {
      if (reached_) throw;
      if (road::Clock::now() >= until_) throw refused(unreached());
      if (!std::exchange(told_, true)) log_line(unreached() + " (" + e.what() + "). It goes on trying for " + std::to_string(said_.patience_ms) + " ms");
      throw;
    }
  }
  [[nodiscard]] bool reached() const { return reached_; }
  [[nodiscard]] bool by_command() const { return road::link_kind_of(said_.where).by_command; }
  [[nodiscard]] std::string unreached() const { return "the agent of " + machine_ + " does not reach its program at " + said_.where; }

 private:
  [[nodiscard]] road::Deadline deadline() const {
    const auto now = road::Clock::now(), one_try = now + carrier_.silence;
    return reached_ || until_ <= now ? one_try : std::min(one_try, until_);
  }
  const engine::Invitation said_;
  const std::string machine_;
  const road::ClusterKey key_;
  const road::LinkTerms carrier_;
  const road::Deadline until_;
  std::atomic<bool> reached_{false};
  bool told_ = false;
};

std::shared_ptr<SiblingWays> siblings_of(const engine::Invitation& said, const std::string& machine, const road::ClusterKey& key) {
  auto place = LinkWays::place_beside(said.where, machine);
  if (!place) return nullptr;
  return std::make_shared<LinkWays>(
      LinkWays::Terms{.place = std::move(place), .key = key, .silence = std::chrono::milliseconds(said.silence_ms), .machine = machine});
}

// False: the program ends, or has ended, before it wants this agent.
bool await_begin(std::uint32_t index) {
  for (;;) {
    const auto word = engine::read_word(STDIN_FILENO);
    if (word.what == 0 || word.what == engine::ends_in_order) return false;
    if (word.what == engine::begins && word.index == index) return true;
  }
}

// Until its standard input ends; where the program has said that it ends in order, the link tells when it is over.
void follow_input(road::Carriers& carriers) {
  for (;;) {
    const auto word = engine::read_word(STDIN_FILENO);
    if (word.what == 0) return carriers.fail("its standard input has ended");
    if (word.what == engine::ends_in_order) return carriers.no_more("the program has ended");
  }
}

// SIGTERM: the end of a job, or of its time. The objects end in order, and those with names are saved. Before the program was reached there is none.
class EndOfJob {
 public:
  // Before there is a thread.
  EndOfJob() {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    std::thread([told = told_, ends] {
      int signal = 0;
      sigwait(&ends, &signal);
      std::lock_guard lock(told->mutex);
      if (!told->call || !told->call->reached()) std::_Exit(1);
      told->told = true;
      daemon::end_with_job("");
      told->carriers->fail("it was told to end by SIGTERM, as at the end of a job");
    }).detach();
  }
  void ends(std::shared_ptr<Call> call, std::shared_ptr<road::Carriers> carriers) {
    std::lock_guard lock(told_->mutex);
    told_->call = std::move(call);
    told_->carriers = std::move(carriers);
  }
  [[nodiscard]] bool told() const { return told_->told; }

 private:
  struct Told {
    std::mutex mutex;
    std::shared_ptr<Call> call;
    std::shared_ptr<road::Carriers> carriers;
    std::atomic<bool> told{false};
  };
  std::shared_ptr<Told> told_ = std::make_shared<Told>();
};

}  // namespace

bool be_called(const std::string& named_by) {
  const char* name = named_by.empty() ? nullptr : std::getenv(named_by.c_str());
  if (!named_by.empty() && name == nullptr)
    throw usage_error("an agent was told that " + named_by + " says which machine this is, and there is no such variable",
                      "It is an engine that sets OCTAVO_AGENT");
  const std::string own = name == nullptr ? "" : name;
  EndOfJob end;
  road::ClusterKey key = road::ClusterKey::make();
  const auto said = ask_for_invitation(own, key);
  const auto index = own_index(said, own);
  if (!await_begin(index)) return true;
  const auto& invited = said.agents[index];
  auto call = std::make_shared<Call>(said, invited.machine, key);
  road::Session session;
  session.id = invited.session;
  AgentOptions options;
  options.machine = invited.machine;
  options.pool_bytes = said.pool_bytes;
  options.ring_bytes = said.ring_bytes;
  options.silence = std::chrono::milliseconds(said.silence_ms);
  auto link = std::make_unique<road::SteadyLink>(
      session, [call] { return call->make(); }, road::SteadyOptions{.least_silence = road::link_kind_of(said.where).least_silence});
  end.ends(call, link->carriers());
  if (!call->by_command()) std::thread([carriers = link->carriers()] { follow_input(*carriers); }).detach();  // else the link's end is the input's
  {
    Agent agent(options, std::move(link), siblings_of(said, invited.machine, key));
    agent.wait();
  }
  if (!call->reached())
    throw gone_error(call->unreached(),
                     road::link_kind_of(said.where).takes_command ? "Log in by hand, from that machine at this one: ssh must ask nothing"
                     : road::link_kind_of(said.where).needs_address
                         ? "Check the address, and that no firewall is between; or take a link that needs no port: " + std::string(engine::ports_are_not_needed)
                         : "Check that this machine sees that directory");
  return !end.told();
}

}  // namespace octavo::agent
