// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/hail.hpp"

#include <algorithm>
#include <vector>

#include "machine/engine/invitation.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine {

namespace {

constexpr std::string_view agents = "octavo agent, ", invitation_word = "invitation ", no_invitation = "no invitation: ", of = ", of ";
constexpr std::size_t most_others = 16 << 10, longest_line = 4 << 10;  // of a login's greeting
constexpr std::size_t most_shown = 300;

}  // namespace

std::string question() { return "octavo asks for an agent, " + std::string(invitation_word) + std::to_string(invitation_version) + "\n"; }

// A line of its own, whatever a login has said before.
std::string answer(const std::string& machine) {
  return "\n" + std::string(agents) + std::string(invitation_word) + std::to_string(invitation_version) + (machine.empty() ? "" : std::string(of) + machine) +
         "\n";
}
std::string refusal(const std::string& why) { return "\n" + std::string(agents) + std::string(no_invitation) + why + "\n"; }

bool Hearing::hear(const std::string& line) {
  const std::string asked = question();
  if (line.find(asked.substr(0, asked.size() - 1)) != std::string::npos)
    throw refused(
        "the command '" + command_ + "' gives back what it is told, as a terminal does, or runs no agent: it said '" + printable(line, most_shown) + "'",
        "Take a command that gives no terminal (ssh without -t, kubectl exec -i, docker exec -i), and check the agent's program");
  if (!line.starts_with(agents)) return false;
  const std::string_view said = std::string_view(line).substr(agents.size());
  const std::string expected = std::string(invitation_word) + std::to_string(invitation_version);
  if (said == expected) return true;
  if (said.starts_with(expected + std::string(of))) {
    machine_ = said.substr(expected.size() + of.size());
    return true;
  }
  if (said.starts_with(no_invitation))
    throw refused("the agent that the command '" + command_ + "' runs takes no key: " + printable(said.substr(no_invitation.size()), most_shown),
                  "Take a command that gives no terminal (ssh without -t, kubectl exec -i, docker exec -i)");
  throw refused("the agent that the command '" + command_ + "' runs is of another version: it said '" + printable(line, most_shown) +
                    "', and this program has " + expected,
                "Install the same Octavo on both machines");
}

bool Hearing::take(std::string_view text, const std::function<void(const std::string&)>& other) {
  unread_ += text;
  for (std::size_t end = 0; (end = unread_.find('\n')) != std::string::npos;) {
    std::string line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (hear(line)) return true;
    others_ += line.size() + 1;
    if (!line.empty()) other(line);
  }
  if (others_ + unread_.size() <= most_others && unread_.size() <= longest_line) return false;
  throw refused("the command '" + command_ + "' says more than an agent does, and not that it runs one. Its last words: '" +
                    printable(std::string_view(unread_).substr(unread_.size() - std::min(unread_.size(), most_shown)), most_shown) + "'",
                "Check the agent's program, and that logins there say no more than some lines");
}

std::string last_lines(std::string_view text) {
  constexpr std::size_t most_lines = 5;
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most_lines) {
    const auto before = text.rfind('\n');
    auto line = text.substr(before == std::string_view::npos ? 0 : before + 1);
    text = text.substr(0, before == std::string_view::npos ? 0 : before);
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) lines.push_back(printable(line, most_shown));
  }
  std::string all;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) all += (all.empty() ? "" : "; ") + *line;
  return all;
}

}  // namespace octavo::engine
