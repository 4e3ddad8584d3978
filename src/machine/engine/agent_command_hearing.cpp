// SPDX-License-Identifier: Apache-2.0
// What a command and its agents say, and what follows from it.
#include <algorithm>
#include <array>
#include <cerrno>

#include "machine/engine/agent_command.hpp"
#include "machine/engine/invitation.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"

namespace octavo::engine {

namespace {

constexpr std::size_t longest_piece = 64 << 10;  // of what several agents write; a longer one goes on in pieces
constexpr std::size_t most_quoted = 300, most_kept = 2048;

}  // namespace

void AgentCommand::hear_output(bool all) {
  std::array<char, 4096> text{};
  while (run_.output && (all || output_.is_free())) {
    const ssize_t n = ::read(run_.output.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return run_.output.reset();
    hear(std::string_view(text.data(), static_cast<std::size_t>(n)));
  }
}

void AgentCommand::hear(std::string_view text) {
  if (!launcher_.all_at_once()) return hear(Labelled{{}, text});
  line_ += text;
  for (std::size_t end = 0; (end = line_.find('\n')) != std::string::npos || (end = line_.size()) > longest_piece;) {
    const std::string line = line_.substr(0, end + 1);
    line_.erase(0, end + 1);
    hear(launcher_.labelled(line));
  }
}

// Before an agent's line it is what a login says, and not for our output; behind it, what objects print.
void AgentCommand::hear(const Labelled& piece) {
  auto found = heard_.find(piece.label);
  if (found == heard_.end()) found = heard_.emplace(std::string(piece.label), Heard{Hearing(name_), false}).first;
  auto& [hearing, is_agent] = found->second;
  if (is_agent || invited_) return output_.put(piece.text);
  if (std::ranges::all_of(agents_, [](const auto& each) { return each->at == stage::given_up; })) return;
  is_agent = hearing.take(piece.text, [this](const std::string& line) {
    greeting_ += line + "\n";
    errors_.put(last_lines(line) + "\n");
  });
  if (!is_agent) return;
  hear_agent(hearing);
  output_.put(hearing.rest());
}

void AgentCommand::hear_agent(const Hearing& hearing) {
  const auto its = std::ranges::find_if(
      agents_, [&](const auto& each) { return hearing.machine().empty() ? agents_.size() == 1 : each->agent.machine == hearing.machine(); });
  if (its == agents_.end())
    throw refused("an agent that the command '" + name_ + "' runs says that it is '" + printable(hearing.machine(), most_quoted) +
                  "', which is none of its machines");
  if ((*its)->at == stage::asked) (*its)->at = stage::answered;
  if (std::ranges::none_of(agents_, [](const auto& each) { return each->at == stage::asked; })) invite_all();
}

void AgentCommand::invite_all() {
  if (std::ranges::any_of(agents_, [](const auto& each) { return each->at == stage::given_up; })) return;
  invited_ = true;
  try {
    plan_.invite(run_.input.get());
  } catch (const io_error&) {  // it has ended already: its status says more
  }
}

void AgentCommand::begin_wanted() {
  if (!invited_ || !run_.input) return;
  for (auto& each : agents_) {
    if (each->at != stage::answered || !each->wanted) continue;
    const auto word = begin_word(each->index);
    [[maybe_unused]] auto n = ::write(run_.input.get(), word.data(), word.size());  // as put()
    each->at = stage::begun;
    each->until = road::Clock::now() + plan_.call_patience;
    if (plan_.bring) return plan_.bring(std::move(run_.output), std::move(run_.input));
  }
}

std::string AgentCommand::cure() const {
  if (plan_.bring) return ". Check that the command passes its standard input and output on as they are, to the end";
  if (!road::link_kind_of(plan_.place).needs_address) return ". Take link=\"files:DIRECTORY\" with one that both machines mount under the same path";
  if (road::link_kind_of(plan_.place).takes_command)
    return ". Check that this machine can be logged in at from that one, by this address, and that one from here, and that ssh asks nothing";
  return ". Check that this is an address of this machine by which that one reaches it, and that no firewall is between; or take a link that needs no port: " +
         std::string(ports_are_not_needed);
}

void AgentCommand::hear_errors(bool all) {
  std::array<char, 4096> text{};
  while (run_.errors && (all || errors_.is_free())) {
    const ssize_t n = ::read(run_.errors.get(), text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return run_.errors.reset();
    const std::string_view piece(text.data(), static_cast<std::size_t>(n));
    errors_.put(piece);
    last_errors_ += piece;
    if (last_errors_.size() > 2 * most_kept) last_errors_.erase(0, last_errors_.size() - most_kept);
    hear_error_lines(piece);
  }
}

// What tells of an agent's end.
void AgentCommand::hear_error_lines(std::string_view text) {
  error_line_ += text;
  for (std::size_t end = 0; (end = error_line_.find('\n')) != std::string::npos || (end = error_line_.size()) > longest_piece;) {
    const std::string line = error_line_.substr(0, end);
    error_line_.erase(0, end + 1);
    for (const auto& machine : launcher_.ended(line))
      for (auto& each : agents_)
        if (each->agent.machine == machine) give_up(*each, "the agent of " + machine + " has ended: '" + printable(line, most_quoted) + "'");
  }
}

std::string AgentCommand::silent() const {
  std::string names;
  for (const auto& each : agents_)
    if (each->at == stage::asked) names += (names.empty() ? "" : ", ") + each->agent.machine;
  return names;
}

void AgentCommand::look_at(State& agent) {
  if (agent.at != stage::begun) return;
  if (agent.agent.called()) agent.at = stage::called;
  else if (road::Clock::now() >= agent.until)
    give_up(agent, "its agent did not call back at " + plan_.place + " within " + std::to_string(plan_.call_patience.count()) + " ms" + said() + cure());
}

void AgentCommand::look_at_clock() {
  for (auto& each : agents_) look_at(*each);
  if (invited_ || road::Clock::now() < until_) return;
  const std::string which = silent();
  if (which.empty()) return;  // given up
  give_up_all("the command '" + name_ + "' ran no agent" + (agents_.size() == 1 ? "" : " on " + which) + " within " + std::to_string(plan_.patience.count()) +
              " ms" + said() + ". Check the agent's program; where a login takes longer, raise `patience`");
}

int AgentCommand::most_ms() const {
  road::Deadline first = invited_ || silent().empty() ? road::never : until_;
  for (const auto& each : agents_)
    if (each->at == stage::begun) first = std::min(first, each->until);
  if (first == road::never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - road::Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
}

}  // namespace octavo::engine
