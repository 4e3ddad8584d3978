// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/called_agent.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>

#include "machine/engine/hail.hpp"
#include "machine/engine/invitation.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/road/steady_link.hpp"
#include "octavo/road/tls_link.hpp"

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

engine::Invitation ask_for_invitation(road::ClusterKey& key) {
  refuse_terminal();
  say(engine::answer());
  ::alarm(invitation_seconds);  // where the program is gone, and something else holds this input open
  auto said = engine::read(STDIN_FILENO, key);
  ::alarm(0);
  return said;
}

// Calls the program; until it was reached once, as long as its patience lasts.
class Call {
 public:
  Call(engine::Invitation said, const road::ClusterKey& key)
      : said_(std::move(said)),
        key_(key),
        carrier_{.silence = engine::carrier_silence(std::chrono::milliseconds(said_.silence_ms))},
        until_(road::Clock::now() + std::chrono::milliseconds(said_.patience_ms)) {}

  std::unique_ptr<road::Link> make() {
    try {
      auto link = road::connect_tls(said_.address, said_.port, key_, deadline(), carrier_);
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
  [[nodiscard]] std::string unreached() const {
    return "the agent of " + said_.machine + " does not reach its program at " + said_.address + " port " + std::to_string(said_.port);
  }

 private:
  [[nodiscard]] road::Deadline deadline() const {
    const auto now = road::Clock::now(), one_try = now + carrier_.silence;
    return reached_ || until_ <= now ? one_try : std::min(one_try, until_);
  }
  const engine::Invitation said_;
  const road::ClusterKey key_;
  const road::TlsOptions carrier_;
  const road::Deadline until_;
  std::atomic<bool> reached_{false};
  bool told_ = false;
};

// Until its standard input ends; where the program has said that it ends in order, the link tells when it is over.
void follow_input(road::Carriers& carriers) {
  for (;;) {
    char word = 0;
    const ssize_t n = ::read(STDIN_FILENO, &word, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return carriers.fail("its standard input has ended");
    if (word == engine::ends_in_order) return carriers.no_more("the program has ended");
  }
}

}  // namespace

void be_called() {
  road::ClusterKey key = road::ClusterKey::make();
  const auto said = ask_for_invitation(key);
  auto call = std::make_shared<Call>(said, key);
  road::Session session;
  session.id = said.session;
  AgentOptions options;
  options.machine = said.machine;
  options.pool_bytes = said.pool_bytes;
  options.ring_bytes = said.ring_bytes;
  options.silence = std::chrono::milliseconds(said.silence_ms);
  auto link = std::make_unique<road::SteadyLink>(session, [call] { return call->make(); });
  std::thread([carriers = link->carriers()] { follow_input(*carriers); }).detach();
  Agent agent(options, std::move(link));
  agent.wait();
  if (!call->reached()) throw gone_error(call->unreached(), "Check the address, and that no firewall is between");
}

}  // namespace octavo::agent
